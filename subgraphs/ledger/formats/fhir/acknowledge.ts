import type { Acknowledgement, Acknowledger, AdapterItem, AdapterWarning, ItemOutcome } from '../format-adapter.js';
import { byCode } from '../values/codes.js';

type Severity = 'error' | 'warning' | 'information';

/** OperationOutcome.issue; `code` is from the value set issue-type. */
interface Issue {
  readonly severity: Severity;
  readonly code: string;
  readonly details: { readonly text: string };
  readonly diagnostics: string;
  readonly expression?: readonly string[];
}

/** Issue types by our codes; `processing` for codes not listed. */
const ISSUE_TYPES = byCode({
  structure:
    'NOT_JSON DUPLICATE_KEY LONE_SURROGATE UNSUPPORTED_ENCODING NOT_A_BUNDLE BUNDLE_UNREADABLE NOT_XML XML_UNREADABLE DOCTYPE_REFUSED NUL_IN_DOCUMENT ELEMENT_REPEATED',
  required: 'RESOURCE_TYPE_MISSING DATE_MISSING',
  'not-supported': 'RESOURCE_TYPE_UNKNOWN UNSUPPORTED_TRANSACTION',
  invalid: 'RESOURCE_INVALID VALIDATION_ERROR',
  incomplete: 'RESOURCE_CUT BUNDLE_CUT XML_CUT REFERENCE_LOST AMOUNTS_MISSING DECISION_MISSING',
  'too-long': 'RESOURCE_TOO_LARGE BUNDLE_TOO_LONG XML_TOO_LONG PAYLOAD_TOO_LARGE',
  'too-costly': 'NESTED_TOO_DEEP XML_TOO_DEEP',
  'business-rule': 'TRANSACTION_REFUSED',
  value: 'DATE_UNREADABLE NUMBER_INEXACT AMOUNT_UNREADABLE',
  'code-invalid': 'STATUS_UNKNOWN USE_UNKNOWN REVIEW_ACTION_UNKNOWN',
  informational: 'SENDER_MISSING NO_EVENT SUMMARY',
  duplicate: 'DUPLICATE',
});

function issueOf(severity: Severity, code: string, message: string, expression?: string): Issue {
  return {
    severity,
    code: ISSUE_TYPES.get(code) ?? 'processing',
    details: { text: message },
    diagnostics: code,
    ...(expression !== undefined && { expression: [expression] }),
  };
}

const operationOutcome = (issue: readonly Issue[]): Record<string, unknown> => ({
  resourceType: 'OperationOutcome',
  issue,
});

/** Limits of issues and entries in one acknowledgement; the JSON answer and its pages contain all. */
const ISSUES_LIMIT = 1_000;
const ENTRIES_LIMIT = 10_000;

interface EntryAnswer {
  status: string;
  readonly issues: Issue[];
}

/**
 * Builds the FHIR answer: a transaction-response or batch-response with one answer per entry, if the body is one such
 * Bundle; else an OperationOutcome.
 */
export class FhirAcknowledger implements Acknowledger {
  readonly #issues: Issue[] = [];
  readonly #entries = new Map<number, EntryAnswer>();
  readonly #counts = { accepted: 0, duplicates: 0, refused: 0, omitted: 0 };
  #bundles = 0;
  #documents = 0;
  #bundleType = '';
  #entryCount = 0;

  take(item: AdapterItem, outcome?: ItemOutcome): void {
    if (item.kind === 'event') this.#takeEvent(item, outcome);
    else if (item.kind === 'refused') this.#takeRefused(item);
    else if (item.kind === 'transaction') this.#takeTransaction(item);
    else if (item.kind === 'exception' && item.index === undefined) {
      this.#addIssue(issueOf('error', item.code, item.message, item.segment), undefined);
    }
  }

  finish({ nowIso }: { nowIso: string; controlNumber: string }): Acknowledgement | null {
    const answers = this.#answersEntries ? this.#responseBundle(nowIso) : operationOutcome(this.#allIssues());
    return { format: 'fhir', mediaType: 'application/fhir+json', text: JSON.stringify(answers) };
  }

  /** True for exactly one transaction or batch Bundle. */
  get #answersEntries(): boolean {
    const answered = this.#bundleType === 'transaction' || this.#bundleType === 'batch';
    return answered && this.#bundles === 1 && this.#documents === 0 && this.#entryCount <= ENTRIES_LIMIT;
  }

  #takeEvent(item: Extract<AdapterItem, { kind: 'event' }>, outcome: ItemOutcome | undefined): void {
    const entry = item.position.transactionPosition;
    if (outcome?.status === 'REJECTED') {
      const { code = 'REJECTED', message = 'the event was rejected' } = outcome;
      this.#refuse(issueOf('error', code, message, expressionOf(entry)), entry);
    } else if (outcome?.status === 'DUPLICATE') {
      this.#counts.duplicates += 1;
      this.#answer(entry, '200 OK');
      this.#addIssue(issueOf('information', 'DUPLICATE', 'the event was stored before', expressionOf(entry)), entry);
    } else {
      this.#counts.accepted += 1;
      this.#answer(entry, '201 Created');
    }
    for (const warning of item.warnings) this.#warn(warning, entry);
  }

  #takeRefused(item: Extract<AdapterItem, { kind: 'refused' }>): void {
    const entry = item.position?.transactionPosition;
    this.#refuse(issueOf('error', item.code, item.message, item.segment ?? expressionOf(entry)), entry);
    if (entry === undefined) this.#documents += 1;
  }

  #takeTransaction({ detail, transaction, warnings }: Extract<AdapterItem, { kind: 'transaction' }>): void {
    if (transaction.startsWith('Bundle/')) {
      this.#bundles += 1;
      this.#bundleType = String(detail?.['bundle_type'] ?? '');
      this.#entryCount = Number(detail?.['entries'] ?? 0);
    } else this.#documents += 1;
    for (const warning of warnings) this.#warn(warning, undefined);
  }

  #warn({ code, message, segment }: AdapterWarning, entry: number | undefined): void {
    const severity = code === 'NO_EVENT' ? 'information' : 'warning';
    const path = entry === undefined ? segment : `${expressionOf(entry)}.resource${pathWithin(segment)}`;
    this.#addIssue(issueOf(severity, code, message, path), entry);
  }

  #refuse(issue: Issue, entry: number | undefined): void {
    this.#counts.refused += 1;
    this.#answer(entry, issue.code === 'not-supported' ? '422 Unprocessable Entity' : '400 Bad Request');
    this.#addIssue(issue, entry);
  }

  #answer(entry: number | undefined, status: string): void {
    if (entry === undefined || this.#entries.size >= ENTRIES_LIMIT) return;
    const known = this.#entries.get(entry);
    if (known === undefined) this.#entries.set(entry, { status, issues: [] });
    // The worst of several events of one entry counts.
    else if (status > known.status) known.status = status;
  }

  #addIssue(issue: Issue, entry: number | undefined): void {
    if (this.#issues.length >= ISSUES_LIMIT) {
      // An error replaces an earlier note when the list is full.
      const at = issue.severity === 'error' ? this.#issues.findLastIndex(({ severity }) => severity !== 'error') : -1;
      this.#counts.omitted += 1;
      if (at === -1) return;
      this.#issues.splice(at, 1);
    }
    this.#issues.push(issue);
    if (entry !== undefined) this.#entries.get(entry)?.issues.push(issue);
  }

  #allIssues(): Issue[] {
    const { accepted, duplicates, refused, omitted } = this.#counts;
    const tail = omitted === 0 ? '' : `, ${omitted} further notes`;
    const summary = `${accepted} events accepted, ${duplicates} duplicates, ${refused} parts rejected${tail}`;
    return [...this.#issues, issueOf('information', 'SUMMARY', summary)];
  }

  #responseBundle(nowIso: string): Record<string, unknown> {
    const entry: Record<string, unknown>[] = [];
    for (let number = 1; number <= this.#entryCount; number += 1) {
      const answer = this.#entries.get(number);
      if (answer === undefined) {
        entry.push({ response: { status: '204 No Content' } });
        continue;
      }
      const outcome = answer.issues.length === 0 ? {} : { outcome: operationOutcome(answer.issues) };
      entry.push({ response: { status: answer.status, lastModified: nowIso, ...outcome } });
    }
    return {
      resourceType: 'Bundle',
      type: `${this.#bundleType}-response`,
      timestamp: nowIso,
      ...(entry.length > 0 && { entry }),
    };
  }
}

const expressionOf = (entry: number | undefined): string | undefined =>
  entry === undefined ? undefined : `Bundle.entry[${entry - 1}]`;

/** Turns `Claim.created` into `.created`, the path within the entry's resource. */
function pathWithin(segment: string | undefined): string {
  const dot = segment?.indexOf('.') ?? -1;
  return segment === undefined || dot === -1 ? '' : segment.slice(dot);
}
