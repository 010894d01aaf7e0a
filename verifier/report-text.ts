import type { ManifestConsent } from './manifest/manifest-shape.js';
import type { Verdict, VerificationReport } from './report.js';

/** The meaning of each verdict, in a sentence for readers who do not know the format. */
export const MEANINGS: Readonly<Record<Verdict, string>> = {
  VALID: 'Signed by the key that you trust; nothing was changed since, and every entry stands in the log.',
  INTEGRITY_ONLY: 'Nothing was changed since it was signed. Who signed it is not known: no key was given.',
  VALID_WITH_NOTES: 'Signed by the key that you trust, and nothing was changed since; read the notes.',
  INVALID: 'Do not rely on it: see the breaks.',
};

const MARKS = { ok: 'ok  ', failed: 'FAIL', not_checked: '-   ' } as const;
/** The JSON report lists all breaks. */
const MOST_SHOWN = 100;

function consentText({ purpose, withheld }: ManifestConsent): string {
  const rows = withheld.map(
    ({ reason, events, documents }) => `${events} events and ${documents} documents (${reason})`,
  );
  return `Made for ${purpose}; consent keeps out ${rows.length === 0 ? 'nothing' : rows.join(', ')}`;
}

const LOG_NAMES: Readonly<Record<string, string>> = {
  'member-log': 'member',
  'matter-log': 'matter',
  'incident-log': 'incident',
};

/** One line a log: `complete: N of N events of this member at checkpoint S`. */
export function completenessLines({ completeness, checks }: VerificationReport): string[] {
  const failed = checks.some(({ name, status }) => (name === 'complete' || name === 'map') && status === 'failed');
  if (completeness === null || failed) return [];
  return completeness.logs.map(({ kind, id, count, INCLUDED, REDACTED, DISPOSED, OUT_OF_WINDOW, WITHHELD }) => {
    const left = OUT_OF_WINDOW + WITHHELD;
    const reasons = left === 0 ? '' : ` (left out by hash: ${OUT_OF_WINDOW} out of the window, ${WITHHELD} withheld)`;
    const name = LOG_NAMES[kind] ?? kind;
    const listed = INCLUDED + REDACTED + DISPOSED + left;
    return `complete: ${listed} of ${count} events of this ${name} at checkpoint ${completeness.tree_size}${reasons}: ${id}`;
  });
}

/** Formats the report as text for people. */
export function reportText(report: VerificationReport): string {
  const { bundle, verdict, checks, breaks, breaks_not_listed, notes, not_checked } = report;
  const lines: string[] = [];
  if (bundle !== null) {
    lines.push(
      `Bundle ${bundle.bundle_id} (${bundle.bundle_type}, ${bundle.profile}) of ${bundle.tenant_id}, sealed ${bundle.sealed_at}`,
      `Key ${bundle.signing_key_id}`,
      `Log ${bundle.origin}, ${bundle.tree_size} entries, root ${bundle.root_hash}`,
      ...(bundle.consent === undefined ? [] : [consentText(bundle.consent)]),
      '',
    );
  }
  for (const { status, title, detail } of checks) lines.push(`${MARKS[status]} ${title}: ${detail}`);
  const complete = completenessLines(report);
  if (complete.length > 0) lines.push('', ...complete);
  const shown = breaks.slice(0, MOST_SHOWN).map(({ code, subject, detail }) => `  ${code} ${subject}: ${detail}`);
  const hidden = breaks.length - shown.length + breaks_not_listed;
  if (breaks.length > 0) lines.push('', 'Breaks:', ...shown, ...(hidden > 0 ? [`  and ${hidden} more`] : []));
  if (notes.length > 0) lines.push('', 'Notes:', ...notes.map((note) => `  ${note}`));
  if (not_checked.length > 0) lines.push('', 'Not checked:', ...not_checked.map((text) => `  ${text}`));
  lines.push('', `${verdict}: ${MEANINGS[verdict]}`, '');
  return lines.join('\n');
}
