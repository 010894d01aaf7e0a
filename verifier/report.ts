import type { ManifestConsent } from './manifest/manifest-shape.js';

// The verification report: every check by name, every break, and every omitted check (evidence.md section 1, rule 9).

const REPORT_SCHEMA = 'eas.verification-report/v1';

export type Verdict = 'VALID' | 'INTEGRITY_ONLY' | 'VALID_WITH_NOTES' | 'INVALID';

/** Exit codes of evidence.md section 5; 2 is for an invalid command. */
const EXIT_CODES: Readonly<Record<Verdict, number>> = {
  VALID: 0,
  INVALID: 1,
  INTEGRITY_ONLY: 3,
  VALID_WITH_NOTES: 4,
};
export const USAGE_EXIT_CODE = 2;

/** In the order of the report. */
const CHECKS = {
  archive: 'The archive is a plain ZIP and holds exactly what it must',
  manifest: 'The manifest has its form',
  signature: 'Both signatures are of the key in the manifest',
  sealing: 'The log holds the fact that this manifest was to be signed',
  key: 'The key is the one that you trust, and was good when it signed',
  files: 'Every file has the size and hash that the manifest says',
  content: 'The lists, counts and content digest agree',
  events: 'Every record is the one that its chain committed to',
  chain: 'Every entry follows from its header, and neighbours link',
  inclusion: "Every entry stands in the checkpoint's tree",
  map: 'The state map that the log committed to says what the bundle shows',
  complete: 'Every event that the log lists for the scope is in the bundle, or left out by name',
  checkpoint: 'The checkpoint is of this log, and agrees with what you kept',
  documents: 'Every document is there in the state that is said',
  timestamp: 'The time stamp is over this signature',
} as const;
export type CheckName = keyof typeof CHECKS;
// CHECKS is a literal: it has no further keys.
const CHECK_NAMES = Object.keys(CHECKS) as CheckName[];

interface Break {
  readonly check: CheckName;
  readonly code: string;
  /** The affected path, event or document. */
  readonly subject: string;
  readonly detail: string;
}

/** How many events a log of the scope has, by what the bundle shows of them. */
export interface LogCompleteness {
  readonly kind: string;
  /** The member, matter or incident. */
  readonly id: string;
  /** All events that the operator committed to. */
  readonly count: number;
  readonly INCLUDED: number;
  readonly REDACTED: number;
  readonly DISPOSED: number;
  readonly OUT_OF_WINDOW: number;
  readonly WITHHELD: number;
}

interface CheckResult {
  readonly name: CheckName;
  readonly status: 'ok' | 'failed' | 'not_checked';
  readonly title: string;
  readonly detail: string;
}

/** Facts of the bundle that its manifest states; the verdict says how far to trust them. */
interface BundleFacts {
  readonly bundle_id: string;
  readonly bundle_type: string;
  readonly tenant_id: string;
  readonly sealed_at: string;
  readonly signing_key_id: string;
  readonly origin: string;
  readonly tree_size: number;
  readonly root_hash: string;
  readonly content_digest: string;
  readonly profile: 'full' | 'minimal';
  readonly counts: Readonly<Record<string, number>>;
  /** Only for a bundle with a stated purpose. */
  readonly consent?: ManifestConsent;
}

export interface VerificationReport {
  readonly schema: typeof REPORT_SCHEMA;
  readonly verdict: Verdict;
  readonly exit_code: number;
  /** Null if the manifest is unreadable. */
  readonly bundle: BundleFacts | null;
  readonly size_bytes: number;
  /** Null for a bundle without a map. */
  readonly completeness: { readonly tree_size: number; readonly logs: readonly LogCompleteness[] } | null;
  readonly checks: readonly CheckResult[];
  readonly breaks: readonly Break[];
  /** Number of breaks beyond the listed ones. */
  readonly breaks_not_listed: number;
  /** Limits of a bundle without breaks: each note turns VALID into VALID_WITH_NOTES. */
  readonly notes: readonly string[];
  readonly not_checked: readonly string[];
}

const MOST_LISTED = 10_000;

/** Collects the findings of the checks. */
export class Findings {
  readonly breaks: Break[] = [];
  readonly notes: string[] = [];
  readonly notChecked: string[] = [];
  /** Details of the completed checks. */
  readonly #told = new Map<CheckName, string>();
  readonly #failed = new Map<CheckName, number>();
  unlisted = 0;
  bundle: BundleFacts | null = null;
  pinned = false;
  completeness: VerificationReport['completeness'] = null;

  broken(check: CheckName, code: string, subject: string, detail: string): void {
    this.#failed.set(check, (this.#failed.get(check) ?? 0) + 1);
    if (this.breaks.length < MOST_LISTED) this.breaks.push({ check, code, subject, detail });
    else this.unlisted++;
  }

  /** Marks a check as complete. */
  done(check: CheckName, detail: string): void {
    this.#told.set(check, detail);
  }

  note(text: string): void {
    this.notes.push(text);
  }

  skipped(text: string): void {
    this.notChecked.push(text);
  }

  get verdict(): Verdict {
    if (this.#failed.size > 0) return 'INVALID';
    if (!this.pinned) return 'INTEGRITY_ONLY';
    return this.notes.length > 0 ? 'VALID_WITH_NOTES' : 'VALID';
  }

  report(sizeBytes: number): VerificationReport {
    const { verdict, bundle, breaks, unlisted, notes, notChecked } = this;
    return {
      schema: REPORT_SCHEMA,
      verdict,
      exit_code: EXIT_CODES[verdict],
      bundle,
      size_bytes: sizeBytes,
      completeness: this.completeness,
      checks: CHECK_NAMES.map((name) => this.#result(name)),
      breaks,
      breaks_not_listed: unlisted,
      notes,
      not_checked: notChecked,
    };
  }

  #result(name: CheckName): CheckResult {
    const title = CHECKS[name];
    const failures = this.#failed.get(name) ?? 0;
    const told = this.#told.get(name);
    if (failures > 0) return { name, status: 'failed', title, detail: `${failures} break${failures === 1 ? '' : 's'}` };
    if (told === undefined) return { name, status: 'not_checked', title, detail: 'not looked at' };
    return { name, status: 'ok', title, detail: told };
  }
}
