import type { Acknowledgement, Acknowledger, AdapterItem, AdapterWarning, ItemOutcome } from '../adapter.js';
import { type Issue, issueOf, operationOutcome } from './operation-outcome.js';

/** Issues and entries told of one body; the JSON answer and its pages hold all. */
const issuesLimit = 1_000;
const entriesLimit = 10_000;

interface EntryAnswer {
  status: string;
  readonly issues: Issue[];
}

/**
 * What a FHIR client waits for: a transaction-response or batch-response with an answer for each entry, where the body is one
 * such Bundle; else an OperationOutcome of what was refused, odd and taken.
 */
export class FhirAcknowledger implements Acknowledger {
  private readonly issues: Issue[] = [];
  private readonly entries = new Map<number, EntryAnswer>();
  private readonly counts = { accepted: 0, duplicates: 0, refused: 0, omitted: 0 };
  private bundles = 0;
  private documents = 0;
  private bundleType = '';
  private entryCount = 0;

  take(item: AdapterItem, outcome?: ItemOutcome): void {
    if (item.kind === 'event') this.takeEvent(item, outcome);
    else if (item.kind === 'refused') this.takeRefused(item);
    else if (item.kind === 'transaction') this.takeTransaction(item);
    else if (item.kind === 'exception' && item.index === undefined) {
      this.tell(issueOf('error', item.code, item.message, item.segment), undefined);
    }
  }

  finish({ nowIso }: { nowIso: string; controlNumber: string }): Acknowledgement | null {
    const answers = this.answersEntries ? this.responseBundle(nowIso) : operationOutcome(this.allIssues());
    return { format: 'fhir', mediaType: 'application/fhir+json', text: JSON.stringify(answers) };
  }

  /** One transaction or batch, and nothing beside it. */
  private get answersEntries(): boolean {
    const answered = this.bundleType === 'transaction' || this.bundleType === 'batch';
    return answered && this.bundles === 1 && this.documents === 0 && this.entryCount <= entriesLimit;
  }

  private takeEvent(item: Extract<AdapterItem, { kind: 'event' }>, outcome: ItemOutcome | undefined): void {
    const entry = item.position.transactionPosition;
    if (outcome?.status === 'REJECTED') {
      const { code = 'REJECTED', message = 'the event was refused' } = outcome;
      this.refuse(issueOf('error', code, message, expressionOf(entry)), entry);
    } else if (outcome?.status === 'DUPLICATE') {
      this.counts.duplicates += 1;
      this.answer(entry, '200 OK');
      this.tell(issueOf('information', 'DUPLICATE', 'the event was taken before', expressionOf(entry)), entry);
    } else {
      this.counts.accepted += 1;
      this.answer(entry, '201 Created');
    }
    for (const warning of item.warnings) this.warn(warning, entry);
  }

  private takeRefused(item: Extract<AdapterItem, { kind: 'refused' }>): void {
    const entry = item.position?.transactionPosition;
    this.refuse(issueOf('error', item.code, item.message, item.segment ?? expressionOf(entry)), entry);
    if (entry === undefined) this.documents += 1;
  }

  private takeTransaction({ detail, transaction, warnings }: Extract<AdapterItem, { kind: 'transaction' }>): void {
    if (transaction.startsWith('Bundle/')) {
      this.bundles += 1;
      this.bundleType = String(detail?.['bundle_type'] ?? '');
      this.entryCount = Number(detail?.['entries'] ?? 0);
    } else this.documents += 1;
    for (const warning of warnings) this.warn(warning, undefined);
  }

  private warn({ code, message, segment }: AdapterWarning, entry: number | undefined): void {
    const severity = code === 'NO_EVENT' ? 'information' : 'warning';
    const path = entry === undefined ? segment : `${expressionOf(entry)}.resource${pathWithin(segment)}`;
    this.tell(issueOf(severity, code, message, path), entry);
  }

  private refuse(issue: Issue, entry: number | undefined): void {
    this.counts.refused += 1;
    this.answer(entry, issue.code === 'not-supported' ? '422 Unprocessable Entity' : '400 Bad Request');
    this.tell(issue, entry);
  }

  private answer(entry: number | undefined, status: string): void {
    if (entry === undefined || this.entries.size >= entriesLimit) return;
    const known = this.entries.get(entry);
    if (known === undefined) this.entries.set(entry, { status, issues: [] });
    // Of several events of one entry the worst is told.
    else if (status > known.status) known.status = status;
  }

  private tell(issue: Issue, entry: number | undefined): void {
    if (this.issues.length >= issuesLimit) {
      // An error must be told even where much was told before it.
      const at = issue.severity === 'error' ? this.issues.findLastIndex(({ severity }) => severity !== 'error') : -1;
      this.counts.omitted += 1;
      if (at === -1) return;
      this.issues.splice(at, 1);
    }
    this.issues.push(issue);
    if (entry !== undefined) this.entries.get(entry)?.issues.push(issue);
  }

  private allIssues(): Issue[] {
    const { accepted, duplicates, refused, omitted } = this.counts;
    const tail = omitted === 0 ? '' : `, ${omitted} further notes`;
    const summary = `${accepted} events accepted, ${duplicates} taken before, ${refused} parts refused${tail}`;
    return [...this.issues, issueOf('information', 'SUMMARY', summary)];
  }

  private responseBundle(nowIso: string): Record<string, unknown> {
    const entry: Record<string, unknown>[] = [];
    for (let number = 1; number <= this.entryCount; number += 1) {
      const answer = this.entries.get(number);
      if (answer === undefined) {
        entry.push({ response: { status: '204 No Content' } });
        continue;
      }
      const outcome = answer.issues.length === 0 ? {} : { outcome: operationOutcome(answer.issues) };
      entry.push({ response: { status: answer.status, lastModified: nowIso, ...outcome } });
    }
    return {
      resourceType: 'Bundle',
      type: `${this.bundleType}-response`,
      timestamp: nowIso,
      ...(entry.length > 0 && { entry }),
    };
  }
}

const expressionOf = (entry: number | undefined): string | undefined =>
  entry === undefined ? undefined : `Bundle.entry[${entry - 1}]`;

/** `Claim.created` within the resource of an entry is `.created`. */
function pathWithin(segment: string | undefined): string {
  const dot = segment?.indexOf('.') ?? -1;
  return segment === undefined || dot === -1 ? '' : segment.slice(dot);
}
