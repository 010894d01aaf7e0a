import { createHash, type Hash } from 'node:crypto';
import { problem } from '../../../shared/errors/problem.js';
import type { ExceptionDraft, OpenExceptions, ResolveException } from '../exceptions/index.js';
import type { AdapterItem, EventItem } from '../formats/index.js';
import { type ControlLevel, checkNumber, type NumberFinding, numberOf } from './domain.js';
import type { ControlNumberStore, NumberStream } from './ports.js';

export interface ControlNumberDeps {
  readonly controlNumbers: ControlNumberStore;
  readonly openExceptions: OpenExceptions;
  readonly resolveException: ResolveException;
}

/** A control number from a header. */
export interface ControlNumber extends NumberStream {
  readonly number: number;
  readonly raw_sha256: string;
  readonly content_sha256?: string;
}

/** Retries of processes that read files of one sender at the same time. */
const MAX_ATTEMPTS = 50;
/**
 * The most numbers collected before a check, so that a body of a million small interchanges does not fill the memory.
 */
const GATHERED_NUMBERS = 500;

/** The body and its names. */
interface WatchedBody {
  readonly format: string;
  readonly raw_sha256: string;
  /** The caller's name of the sender; else the sender's own. */
  readonly source_system: string | undefined;
}

/** Checks the control numbers of one body while it is read. */
export class ControlNumberWatch {
  readonly #deps: ControlNumberDeps;
  readonly #tenantId: string;
  readonly #body: WatchedBody;
  #gathered: ControlNumber[] = [];
  readonly #contents = new Map<ControlLevel, Hash>();

  constructor(deps: ControlNumberDeps, tenantId: string, body: WatchedBody) {
    this.#deps = deps;
    this.#tenantId = tenantId;
    this.#body = body;
  }

  async see(item: AdapterItem): Promise<void> {
    this.#addContent(item);
    if (item.kind !== 'wrapper' || !isLevel(item.level)) return;
    const content_sha256 = this.#takeContent(item.level);
    const found = controlNumberOf(item, { ...this.#body, content_sha256 });
    if (found === null) return;
    this.#gathered.push(found);
    if (this.#gathered.length >= GATHERED_NUMBERS) await this.finish();
  }

  /** Adds the content of the open numbers. */
  #addContent(item: AdapterItem): void {
    if (item.kind !== 'event' && item.kind !== 'refused') return;
    const part = item.part?.contentSha256 ?? item.part?.sha256 ?? '';
    const content = `${item.kind}\0${part}\0${item.kind === 'event' ? statementOf(item) : item.code}\0`;
    for (const level of LEVELS) {
      const hash = this.#contents.get(level) ?? createHash('sha256');
      this.#contents.set(level, hash.update(content));
    }
  }

  #takeContent(level: ControlLevel): string {
    const hash = this.#contents.get(level) ?? createHash('sha256');
    this.#contents.delete(level);
    return hash.digest('hex');
  }

  /** Checks the rest. Called when the events of the body are durable, so that a repeated request comes here again. */
  async finish(): Promise<void> {
    const gathered = this.#gathered;
    this.#gathered = [];
    await checkControlNumbers(this.#deps, this.#tenantId, gathered);
  }
}

/** What an event says, with what it shares with its transaction; without the place in the body. */
function statementOf({ envelope: { payload, ...rest } }: EventItem): string {
  const { raw: _, ...content } = payload;
  return JSON.stringify({ ...rest, payload: content });
}

const LEVELS: readonly ControlLevel[] = ['interchange', 'group', 'message'];
const isLevel = (text: string): text is ControlLevel => LEVELS.some((level) => level === text);

/** The number of a wrapper with a sender and a numeric control number; else null. */
export function controlNumberOf(
  item: AdapterItem,
  body: WatchedBody & { readonly content_sha256?: string },
): ControlNumber | null {
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
    ...(body.content_sha256 !== undefined && { content_sha256: body.content_sha256 }),
  };
}

/** An HL7 application counts separately at each facility. */
const placeOf = (name: string, facility: string | undefined): string =>
  facility?.trim() ? `${name.trim()}|${facility.trim()}` : name.trim();

/**
 * Checks numbers in arrival order. Opens exceptions before it saves the numbers: a repetition after a crash finds open
 * exceptions.
 *
 * @throws UNAVAILABLE if others keep writing the same sender's numbers.
 */
export async function checkControlNumbers(
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
  // Streams are independent.
  await Promise.all([...streams.values()].map((stream) => checkStream(deps, tenantId, stream)));
}

async function checkStream(
  deps: ControlNumberDeps,
  tenantId: string,
  numbers: readonly ControlNumber[],
): Promise<void> {
  const [first] = numbers;
  if (!first) return;
  const { number: _, raw_sha256: __, content_sha256: ___, ...stream } = first;
  const store = deps.controlNumbers(tenantId);
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const standing = await store.find(stream);
    let state = standing?.state ?? null;
    const findings: { readonly finding: NumberFinding; readonly raw_sha256: string }[] = [];
    for (const { number, raw_sha256, content_sha256 } of numbers) {
      const checked = checkNumber(state, stream.level, {
        number,
        raw_sha256,
        ...(content_sha256 !== undefined && { content_sha256 }),
      });
      state = checked.state;
      if (checked.finding) findings.push({ finding: checked.finding, raw_sha256 });
    }
    if (state === null || state === standing?.state) return;
    await report(deps, tenantId, stream, findings);
    if (await store.save(stream, state, standing?.revision ?? null)) return;
  }
  throw problem('UNAVAILABLE', { internal: 'too many processes write the control numbers of one sender at once' });
}

async function report(
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
    const note = 'Every missing control number has arrived.';
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
  const common = { what: kind, source_system, sender, expected, found };
  const base = { kind: 'CONTROL_NUMBER_GAP', source: 'INGEST', raw_sha256 } as const;
  if (kind === 'GAP') {
    const { from, to } = finding.missing;
    return {
      ...base,
      subject: gapSubject(stream, finding.missing),
      detail: { ...common, missing_from: from, missing_to: to, missing_count: to - from + 1 },
    };
  }
  const detail = { ...common, first_raw_sha256: finding.first_raw_sha256 };
  return { ...base, subject: { ...subjectOf(stream), repeated: found }, detail };
}
