import { problem } from '../../../shared/errors/problem.js';
import { type ControlLevel, judgeNumber, type NumberFinding, numberOf } from '../domain/control-number.js';
import type { OpenExceptions } from './open-exception.js';
import type { ControlNumberStore, NumberStream } from './ports/control-number-store.js';
import type { ExceptionDraft } from './ports/exception-store.js';
import type { ResolveException } from './ports/feed-exceptions.js';
import type { AdapterItem } from './ports/format-adapter.js';

export interface ControlNumberDeps {
  readonly controlNumbers: ControlNumberStore;
  readonly openExceptions: OpenExceptions;
  readonly resolveException: ResolveException;
}

/** A control number as a header gave it. */
export interface ControlNumber extends NumberStream {
  readonly number: number;
  readonly raw_sha256: string;
}

/** Processes that read files of one sender at the same time meet on its row. */
const MAX_ATTEMPTS = 50;
/** Numbers gathered before they are judged: a body of a million small interchanges must not fill the memory. */
const GATHERED_NUMBERS = 500;

/** Which body is read, and under which names. */
export interface WatchedBody {
  readonly format: string;
  readonly raw_sha256: string;
  /** What the caller named; the sender's own name without it. */
  readonly source_system: string | undefined;
}

/** Watches the control numbers of one body while it is read. */
export class ControlNumberWatch {
  readonly #deps: ControlNumberDeps;
  readonly #tenantId: string;
  readonly #body: WatchedBody;
  #gathered: ControlNumber[] = [];

  constructor(deps: ControlNumberDeps, tenantId: string, body: WatchedBody) {
    this.#deps = deps;
    this.#tenantId = tenantId;
    this.#body = body;
  }

  async see(item: AdapterItem): Promise<void> {
    const found = controlNumberOf(item, this.#body);
    if (found === null) return;
    this.#gathered.push(found);
    if (this.#gathered.length >= GATHERED_NUMBERS) await this.finish();
  }

  /** Judges what is left; called when the events of the body are durable, so that a repeated request comes here again. */
  async finish(): Promise<void> {
    const gathered = this.#gathered;
    this.#gathered = [];
    await judgeControlNumbers(this.#deps, this.#tenantId, gathered);
  }
}

const LEVELS: ReadonlySet<string> = new Set<ControlLevel>(['interchange', 'group', 'message']);
const isLevel = (text: string): text is ControlLevel => LEVELS.has(text);

/** The number of a wrapper that names its sender and is numbered in digits; null for all else. */
export function controlNumberOf(item: AdapterItem, body: WatchedBody): ControlNumber | null {
  if (item.kind !== 'wrapper' || item.level === undefined || !isLevel(item.level)) return null;
  const header = item.header ?? {};
  const number = numberOf(header['control_number'] ?? '');
  const name = header['sender']?.trim() ?? '';
  if (number === null || name === '') return null;
  return {
    format: body.format,
    level: item.level,
    source_system: body.source_system ?? name,
    sender: placeOf(name, header['sending_facility'] ?? header['sender_facility']),
    receiver: placeOf(header['receiver'] ?? '', header['receiving_facility'] ?? header['receiver_facility']),
    number,
    raw_sha256: body.raw_sha256,
  };
}

/** An application of HL7 counts on its own at each facility. */
const placeOf = (name: string, facility: string | undefined): string =>
  facility?.trim() ? `${name.trim()}|${facility.trim()}` : name.trim();

/**
 * Judges numbers in the order in which they came. Exceptions are opened before the numbers are kept: whoever comes again
 * after a crash in between opens what is open already.
 *
 * @throws UNAVAILABLE when others keep on writing the same sender's numbers.
 */
export async function judgeControlNumbers(
  deps: ControlNumberDeps,
  tenantId: string,
  numbers: readonly ControlNumber[],
): Promise<void> {
  const streams = new Map<string, ControlNumber[]>();
  for (const one of numbers) {
    const key = JSON.stringify([one.format, one.level, one.source_system, one.sender, one.receiver]);
    const known = streams.get(key);
    if (known) known.push(one);
    else streams.set(key, [one]);
  }
  // Streams know nothing of each other.
  await Promise.all([...streams.values()].map((stream) => judgeStream(deps, tenantId, stream)));
}

async function judgeStream(
  deps: ControlNumberDeps,
  tenantId: string,
  numbers: readonly ControlNumber[],
): Promise<void> {
  const [first] = numbers;
  if (!first) return;
  const { number: _, raw_sha256: __, ...stream } = first;
  const store = deps.controlNumbers(tenantId);
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const standing = await store.find(stream);
    let state = standing?.state ?? null;
    const findings: { readonly finding: NumberFinding; readonly raw_sha256: string }[] = [];
    for (const { number, raw_sha256 } of numbers) {
      const judged = judgeNumber(state, stream.level, { number, raw_sha256 });
      state = judged.state;
      if (judged.finding) findings.push({ finding: judged.finding, raw_sha256 });
    }
    if (state === null || state === standing?.state) return;
    await tell(deps, tenantId, stream, findings);
    if (await store.save(stream, state, standing?.revision ?? null)) return;
  }
  throw problem('UNAVAILABLE', { internal: 'control numbers of one sender are written by too many at once' });
}

async function tell(
  deps: ControlNumberDeps,
  tenantId: string,
  stream: NumberStream,
  findings: readonly { readonly finding: NumberFinding; readonly raw_sha256: string }[],
): Promise<void> {
  const drafts = findings.flatMap(({ finding, raw_sha256 }) =>
    finding.kind === 'FILLED' ? [] : [exceptionOf(stream, finding, raw_sha256)],
  );
  await deps.openExceptions(tenantId, drafts);
  for (const { finding } of findings) {
    if (finding.kind !== 'FILLED') continue;
    const note = 'Every missing control number has come after all.';
    await deps.resolveException(tenantId, 'CONTROL_NUMBER_GAP', gapSubject(stream, finding.missing), note);
  }
}

const subjectOf = ({ format, level, source_system, sender, receiver }: NumberStream) => ({
  kind: 'CONTROL_NUMBERS',
  format,
  level,
  source_system,
  sender,
  receiver,
});

const gapSubject = (stream: NumberStream, missing: { readonly from: number; readonly to: number }) => ({
  ...subjectOf(stream),
  missing_from: missing.from,
  missing_to: missing.to,
});

function exceptionOf(
  stream: NumberStream,
  finding: Exclude<NumberFinding, { readonly kind: 'FILLED' }>,
  raw_sha256: string,
): ExceptionDraft {
  const { kind, expected, found } = finding;
  const { source_system, sender } = stream;
  const told = { what: kind, source_system, sender, expected, found };
  const base = { kind: 'CONTROL_NUMBER_GAP', source: 'INGEST', raw_sha256 } as const;
  if (kind === 'GAP') {
    const { from, to } = finding.missing;
    return {
      ...base,
      subject: gapSubject(stream, finding.missing),
      detail: { ...told, missing_from: from, missing_to: to, missing_count: to - from + 1 },
    };
  }
  const detail = { ...told, first_raw_sha256: finding.first_raw_sha256 };
  return { ...base, subject: { ...subjectOf(stream), repeated: found }, detail };
}
