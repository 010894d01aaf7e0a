import type { ManifestConsent } from './manifest/manifest-shape.js';

// What a verification says: every check by name, every break, and what was not looked at (evidence.md section 1, rule 9).

export const REPORT_SCHEMA = 'eas.verification-report/v1';

export type Verdict = 'VALID' | 'INTEGRITY_ONLY' | 'VALID_WITH_NOTES' | 'INVALID';

/** Evidence section 5; 2 is for a command that could not be understood. */
export const EXIT_CODES: Readonly<Record<Verdict, number>> = {
  VALID: 0,
  INVALID: 1,
  INTEGRITY_ONLY: 3,
  VALID_WITH_NOTES: 4,
};
export const USAGE_EXIT_CODE = 2;

/** In the order in which they are told. */
export const CHECKS = {
  archive: 'The archive is a plain ZIP and holds exactly what it must',
  manifest: 'The manifest has its form',
  signature: 'Both signatures are of the key in the manifest',
  key: 'The key is the one that you trust, and was good when it signed',
  files: 'Every file has the size and hash that the manifest says',
  content: 'The lists, counts and content digest agree',
  events: 'Every record is the one that its chain committed to',
  chain: 'Every entry follows from its header, and neighbours link',
  inclusion: "Every entry stands in the checkpoint's tree",
  checkpoint: 'The checkpoint is of this log, and agrees with what you kept',
  documents: 'Every document is there in the state that is said',
  timestamp: 'The time stamp is over this signature',
} as const;
export type CheckName = keyof typeof CHECKS;
export const CHECK_NAMES = Object.keys(CHECKS) as CheckName[];

export interface Break {
  readonly check: CheckName;
  readonly code: string;
  /** What it is about: a path, an event, a document. */
  readonly subject: string;
  readonly detail: string;
}

export interface CheckResult {
  readonly name: CheckName;
  readonly status: 'ok' | 'failed' | 'not_checked';
  readonly title: string;
  readonly detail: string;
}

/** Facts of the bundle as its manifest states them: worth what the verdict says. */
export interface BundleFacts {
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
  /** Only of a bundle that was made for a stated purpose. */
  readonly consent?: ManifestConsent;
}

export interface VerificationReport {
  readonly schema: typeof REPORT_SCHEMA;
  readonly verdict: Verdict;
  readonly exit_code: number;
  /** Null where the manifest could not be read. */
  readonly bundle: BundleFacts | null;
  readonly size_bytes: number;
  readonly checks: readonly CheckResult[];
  readonly breaks: readonly Break[];
  /** How many more there are than are listed. */
  readonly breaks_not_listed: number;
  /** What limits a bundle that has no break: each turns VALID into VALID_WITH_NOTES. */
  readonly notes: readonly string[];
  readonly not_checked: readonly string[];
}

const MOST_LISTED = 10_000;

/** Collects what the checks find. */
export class Findings {
  readonly breaks: Break[] = [];
  readonly notes: string[] = [];
  readonly notChecked: string[] = [];
  /** Checks that were gone through, with what they looked at. */
  readonly #told = new Map<CheckName, string>();
  readonly #failed = new Map<CheckName, number>();
  unlisted = 0;
  bundle: BundleFacts | null = null;
  pinned = false;

  broken(check: CheckName, code: string, subject: string, detail: string): void {
    this.#failed.set(check, (this.#failed.get(check) ?? 0) + 1);
    if (this.breaks.length < MOST_LISTED) this.breaks.push({ check, code, subject, detail });
    else this.unlisted++;
  }

  /** The check was gone through to its end. */
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
