import { hash } from 'node:crypto';
import { type BodyReader, ItemSink } from '../emit.js';
import type { AdapterItem, AdapterOptions, AdapterWarning, Part, Position } from '../format-adapter.js';
import {
  aboutBundle,
  BundleHold,
  entryName,
  type HeldEntry,
  placeOf,
  REQUESTED,
  refusalOfBundle,
  splitLists,
  withoutEvents,
} from './bundle-hold.js';
import type { ResourceCheck } from './check/resource-check.js';
import {
  labelsOf,
  numbersOf,
  partOf,
  type Refusal,
  recordIdOf,
  refusalOfType,
  sourceSystemOf,
  warningAt,
  withoutNarrative,
} from './entries.js';
import { hookKindOf } from './hooks/describe-hook.js';
import { giveHook } from './hooks/give-hook.js';
import { type Fields, fieldsAt, parseObject, textAt } from './json/objects.js';
import { JsonSplitter } from './json/splitter.js';
import type { Envelope, Lost, Unit } from './json/splitter-state.js';
import { splitterLimits } from './limits.js';
import { HeldLines } from './lines.js';
import { Amounts } from './map/context.js';
import { givesEvent, mapResource } from './map/map-resource.js';
import { NO_BUNDLE, References, senderIn } from './map/references.js';

/** How much of a Bundle is held so that references can be resolved. */
const BUNDLE_HOLD_BYTES = 8 * 1024 * 1024;
const NESTED_BUNDLES = 3;

/** Reads a body of resources, Bundles and lines into items. */
export class FhirReader implements BodyReader {
  readonly #splitter: JsonSplitter;
  readonly #sink = new ItemSink();
  #resourceNumber = 0;
  #bundle: BundleHold | null = null;
  readonly #lines = new HeldLines();
  readonly #options: AdapterOptions;
  readonly #check: ResourceCheck | null;
  readonly #partOf: (bytes: Buffer, offset: number) => Part;

  /**
   * `check` rejects invalid resources; used by strict reading. `place` finds the part of the body from which the JSON at
   * an offset was made; by default the JSON is the body.
   */
  constructor(options: AdapterOptions, check: ResourceCheck | null = null, place: typeof partOf = partOf) {
    this.#options = options;
    this.#check = check;
    this.#partOf = place;
    this.#splitter = new JsonSplitter(
      {
        unit: (unit) => this.#takeUnit(unit),
        bundleBegin: (head, start) => this.#beginBundle(head, start),
        bundleEnd: (envelope) => this.#endBundle(envelope),
        lost: (lost) => this.#takeLost(lost),
      },
      splitterLimits(this.#options),
    );
  }

  /** `now` scans the chunk at once instead of gathering chunks. */
  push(chunk: Uint8Array, now = false): void {
    this.#splitter.push(chunk, now);
  }

  finish(): void {
    this.#splitter.finish();
    this.#lines.releaseAll();
  }

  /** Ends the open document where the body breaks off; another may follow. */
  cut(): void {
    this.#splitter.finish();
  }

  drain(): AdapterItem[] {
    return this.#sink.drain();
  }

  #takeUnit(unit: Unit): void {
    if (unit.kind === 'document') this.#takeDocument(unit);
    else if (this.#bundle !== null) this.#takeEntry(this.#bundle, unit, unit.entryNumber, 0);
  }

  #takeDocument(unit: Unit): void {
    const part = this.#partOf(unit.bytes, unit.start);
    const position = { byteOffset: part.offset, segmentNumber: ++this.#resourceNumber };
    const sizeBytes = unit.bytes.length;
    const parsed = parseObject(unit.bytes, unit);
    if (!('value' in parsed)) {
      this.#lines.hold(sizeBytes, () => this.#refuse('resource', { ...parsed, broken: true }, position, part));
      return;
    }
    const resource = parsed.value;
    const { inexact } = unit;
    const kind = hookKindOf(resource);
    if (kind !== null) {
      const place = { part, position, inexact, kind };
      this.#lines.hold(sizeBytes, () => giveHook(this.#sink, resource, this.#options, place));
      return;
    }
    const refusal = refusalOfType(resource) ?? this.#check?.(resource) ?? null;
    if (refusal !== null) {
      const item = textAt(resource, 'resourceType') || 'resource';
      this.#lines.hold(sizeBytes, () => this.#refuse(item, refusal, position, part));
      return;
    }
    this.#lines.know(resource);
    const held = withoutNarrative(resource);
    this.#lines.hold(sizeBytes, () => this.#giveDocument(held, { part, position, inexact }));
  }

  #giveDocument(resource: Fields, place: { part: Part; position: Position; inexact: readonly number[] }): void {
    const { position } = place;
    const type = textAt(resource, 'resourceType');
    const references = new References(resource, {
      ...{ fullUrl: '', method: '', bundleType: NO_BUNDLE },
      index: this.#lines.index,
      complete: true,
      whole: true,
      bodySender: '',
      partition: this.#partition,
    });
    const given = givesEvent(resource) && this.#giveEvent(resource, references, null, { ...place, framed: true });
    const warnings = given ? [] : [warningAt(position, 'NO_EVENT', `${type} yields no event`, type)];
    const counts = { segmentCount: 1, accepted: given ? 1 : 0, refused: 0, complete: true };
    const about = { transaction: type, version: 'R4', controlNumbers: {}, position, warnings };
    this.#sink.push({ kind: 'transaction', ...about, ...counts });
  }

  /** The sender of what names none: the partition's. */
  get #partition(): string {
    return this.#options.sourceSystem ?? 'fhir';
  }

  #beginBundle(head: Buffer, start: number): void {
    this.#lines.releaseAll();
    const seen = { members: null, tooDeep: false, surrogates: true };
    const parsed = parseObject(Buffer.concat([head, Buffer.from(']}')]), seen);
    // Repeated keys show at the end; the part before the entries is enough for now.
    const about = 'value' in parsed ? parsed.value : null;
    const limit = this.#options.strict ? this.#options.limits.strictHoldBytes : BUNDLE_HOLD_BYTES;
    this.#bundle = new BundleHold(this.#partOf(head, start).offset, about, limit);
  }

  #takeEntry(bundle: BundleHold, unit: Unit, entryNumber: number, level: number, within?: Fields): void {
    bundle.entryCount = Math.max(bundle.entryCount, entryNumber);
    const { from, to } = unit.resource;
    const part = this.#partOf(unit.bytes.subarray(from - unit.start, Math.max(to, from) - unit.start), from);
    const held = {
      position: this.#positionIn(bundle, part.offset, entryNumber),
      part,
      inexact: unit.inexact,
      entryNumber,
      within,
      sizeBytes: unit.bytes.length,
    };
    const parsed = parseObject(unit.bytes, unit);
    if (!('value' in parsed)) {
      const whole = to > from ? held.part : this.#partOf(unit.bytes, unit.start);
      const refusal = { ...parsed, broken: true };
      bundle.hold({ ...held, part: whole, resource: {}, fullUrl: '', method: '', refusal });
    } else if (to > from) {
      const fullUrl = textAt(parsed.value, 'fullUrl');
      const method = textAt(parsed.value, 'request', 'method').toUpperCase();
      this.#takeResource(bundle, unit, { ...held, fullUrl, method }, fieldsAt(parsed.value, 'resource'), level);
    } else {
      this.#resourceNumber -= 1;
      if (level === 0 && bundle.isParameters) bundle.submission.take(parsed.value);
      if (level < NESTED_BUNDLES && parsed.value['part'] !== undefined)
        splitLists({ ...unit, lists: ['part'] }, splitterLimits(this.#options), {
          take: (inner) => this.#takeEntry(bundle, inner, entryNumber, level + 1, within),
          lost: (lost) => this.#takeLost(lost),
        });
    }
    while (bundle.overflows) this.#releaseOverflow(bundle);
  }

  /** Positions inside Parameters have no entry number: acknowledgements count the entries of Bundles. */
  #positionIn(bundle: BundleHold, byteOffset: number, entryNumber: number): Position {
    const at = { byteOffset, segmentNumber: ++this.#resourceNumber };
    return bundle.isParameters ? at : { ...at, transactionPosition: entryNumber };
  }

  #takeResource(
    bundle: BundleHold,
    unit: Unit,
    held: Omit<HeldEntry, 'resource' | 'refusal'>,
    resource: Fields,
    level: number,
  ): void {
    const type = textAt(resource, 'resourceType');
    if ((type === 'Bundle' || type === 'Parameters') && level < NESTED_BUNDLES) {
      this.#takeNested(bundle, unit, { resource, held, level });
      return;
    }
    const refusal = refusalOfType(resource) ?? this.#check?.(resource) ?? null;
    if (unit.entryNumber === 1 && (type === 'Claim' || type === 'ClaimResponse'))
      bundle.isAuthorization ||= textAt(resource, 'use') === 'preauthorization';
    const name = entryName(held, bundle);
    if (refusal === null) bundle.index.add(name, resource);
    // A search result may contain an OperationOutcome about matches that it did not find.
    const isSearchNote = refusal?.code === 'UNSUPPORTED_TRANSACTION' && name.bundleType === 'searchset';
    const isContext = bundle.isAuthorization && REQUESTED.has(type);
    if (isSearchNote || (refusal === null && (isContext || !givesEvent(resource)))) bundle.countWithoutEvent(type);
    else bundle.hold({ ...held, resource: withoutNarrative(resource), refusal });
  }

  /** Reads a nested Bundle or Parameters: its entries count as entries of the outer one. */
  #takeNested(
    bundle: BundleHold,
    unit: Unit,
    nested: { resource: Fields; held: Pick<HeldEntry, 'entryNumber' | 'within'>; level: number },
  ): void {
    const { resource, held, level } = nested;
    const { from, to } = unit.resource;
    const isBundle = textAt(resource, 'resourceType') === 'Bundle';
    const within = bundle.isParameters && isBundle ? aboutBundle(resource, bundle.about) : held.within;
    const before = this.#resourceNumber;
    const inside = { bytes: unit.bytes.subarray(from - unit.start, to - unit.start), start: from };
    splitLists({ ...inside, lists: [isBundle ? 'entry' : 'parameter'] }, splitterLimits(this.#options), {
      take: (inner) => this.#takeEntry(bundle, inner, held.entryNumber, level + 1, within),
      lost: (lost) => this.#takeLost(lost),
    });
    if (!isBundle && this.#resourceNumber === before) bundle.countWithoutEvent('Parameters');
  }

  #releaseOverflow(bundle: BundleHold): void {
    const tooLong = {
      code: 'BUNDLE_TOO_LONG',
      message: 'strict reading checks a Bundle to its end before it yields events: this one exceeds the limit',
      broken: true,
    };
    this.#release(bundle, {
      complete: true,
      whole: false,
      refusal: this.#options.strict ? tooLong : refusalOfBundle(bundle),
    });
  }

  #release(bundle: BundleHold, about: { complete: boolean; whole: boolean; refusal: Refusal | null }): boolean {
    const held = bundle.release();
    if (held === undefined) return false;
    const { resource, position, part, entryNumber, inexact } = held;
    const around = held.within ?? bundle.about;
    const refusal = held.refusal ?? about.refusal;
    if (refusal !== null || part === null) {
      const found = refusal ?? { code: 'NOT_JSON', message: 'the entry is unreadable', broken: true };
      const item = textAt(resource, 'resourceType') || 'entry';
      this.#refuse(item, { ...found, expression: placeOf(bundle, entryNumber, found) }, position, part ?? undefined);
      bundle.refused += 1;
      return true;
    }
    const references = new References(resource, {
      ...entryName(held, bundle),
      index: bundle.index,
      complete: about.complete,
      whole: about.whole,
      bodySender: senderIn(around),
      partition: this.#partition,
      submission: bundle.submission.submission,
    });
    const place = { part, position, inexact, framed: about.complete && about.whole };
    if (this.#giveEvent(resource, references, around, place)) bundle.accepted += 1;
    return true;
  }

  #endBundle(envelope: Envelope): void {
    const bundle = this.#bundle;
    this.#bundle = null;
    if (bundle === null) return;
    const position = { byteOffset: bundle.start, segmentNumber: Math.max(1, this.#resourceNumber) };
    const warnings: AdapterWarning[] = [];
    let refusal = envelope.complete ? this.#checkEnvelope(bundle, envelope, position, warnings) : null;
    refusal ??= refusalOfBundle(bundle);
    if (!envelope.complete) {
      const cut = { code: 'BUNDLE_CUT', message: 'the body ends inside the Bundle' };
      warnings.push(warningAt(position, cut.code, cut.message, 'Bundle'));
      this.#sink.push({ kind: 'exception', exceptionKind: 'PARSE_FAILED', ...cut, segment: 'Bundle', position });
      if (this.#options.strict) refusal ??= { ...cut, broken: false };
    }
    if (this.#options.strict && bundle.type === 'transaction' && bundle.anyRefused) {
      refusal ??= {
        code: 'TRANSACTION_REFUSED',
        message: 'another entry of the transaction was rejected, and a transaction is stored as a whole',
        broken: false,
      };
    }
    while (this.#release(bundle, { complete: envelope.complete, whole: true, refusal }));
    for (const [type, count] of bundle.withoutEvent) {
      warnings.push(warningAt(position, 'NO_EVENT', `${count} of type ${type} yielded no event`, type));
    }
    if (bundle.accepted + bundle.refused === 0) warnings.push(withoutEvents(bundle, position));
    this.#endTransaction(bundle, position, envelope.complete, warnings);
  }

  /** Parses the Bundle without its entries: repeated keys reject it, other faults give a warning. */
  #checkEnvelope(
    bundle: BundleHold,
    envelope: Envelope,
    position: Position,
    warnings: AdapterWarning[],
  ): Refusal | null {
    const { members, tooDeep } = envelope;
    const parsed = parseObject(Buffer.concat([envelope.head, envelope.tail]), { members, tooDeep, surrogates: true });
    if ('value' in parsed) bundle.about = parsed.value;
    const fault = 'value' in parsed ? null : parsed;
    if (fault?.code === 'DUPLICATE_KEY') return { ...fault, expression: 'Bundle', broken: true };
    if (fault === null && !envelope.garbled) return null;
    const odd = { code: 'BUNDLE_UNREADABLE', message: 'the JSON around the entries of the Bundle is not well-formed' };
    warnings.push(warningAt(position, odd.code, odd.message, 'Bundle'));
    return this.#options.strict ? { ...odd, expression: 'Bundle', broken: true } : null;
  }

  #endTransaction(bundle: BundleHold, position: Position, complete: boolean, warnings: AdapterWarning[]): void {
    const { type, entryCount, accepted, refused, transaction } = bundle;
    const about = { transaction, version: 'R4', controlNumbers: numbersOf(bundle.about) ?? {}, position, warnings };
    const counts = { segmentCount: entryCount, accepted, refused, complete };
    this.#sink.push({ kind: 'transaction', ...about, ...counts, detail: { bundle_type: type, entries: entryCount } });
  }

  /** Returns false if the type yields no event. */
  #giveEvent(
    resource: Fields,
    references: References,
    bundle: Fields | null,
    place: { part: Part; position: Position; inexact: readonly number[]; framed: boolean },
  ): boolean {
    const { position, inexact, framed } = place;
    const contentSha256 = hash('sha256', JSON.stringify(resource), 'hex');
    const part = { ...place.part, contentSha256 };
    const warnings: AdapterWarning[] = [];
    const type = textAt(resource, 'resourceType');
    const warn = (code: string, message: string, element?: string): void => {
      warnings.push(warningAt(position, code, message, element === undefined ? type : `${type}.${element}`));
    };
    if (inexact.length > 0) warn('NUMBER_INEXACT', 'a number has more digits than can be stored');
    const context = { references, amounts: new Amounts(inexact), documents: [], warn };
    const mapped = mapResource(resource, context, {
      receivedAt: this.#options.receivedAt,
      zone: this.#options.tenantTimeZone ?? 'UTC',
      labels: labelsOf(bundle, resource),
    });
    if (mapped === null) return false;
    const named = sourceSystemOf(this.#options.sourceSystem, bundle, resource);
    if (named === '')
      warn('SENDER_MISSING', 'meta.source names no sender: the source system is the format name', 'meta.source');
    const { envelope, received } = mapped;
    const controlNumbers = numbersOf(bundle);
    const wholeness = { framed, counted: null, trailer: true, grade: framed ? 'WHOLE' : 'UNFRAMED' } as const;
    this.#sink.event({
      envelope: { ...envelope, source_system: named || 'fhir', source_record_id: recordIdOf(resource, part) },
      part,
      position,
      warnings,
      received,
      raw: { format: 'fhir', transaction: type, version: 'R4', controlNumbers, warningPlace: 'segment', wholeness },
      lacks: { message: 'neither a coverage, an identifier nor a reference names a member', segment: type },
      documents: context.documents,
    });
    return true;
  }

  #takeLost({ code, message, start, entryNumber, bytes }: Lost): void {
    const part = this.#partOf(bytes ?? Buffer.alloc(0), start);
    this.lose({ code, message }, entryNumber, part.offset, bytes === null ? null : part);
  }

  /** Reports bytes that are no resource: of an entry of the open Bundle, or (0) outside one. */
  lose(fault: Pick<Refusal, 'code' | 'message'>, entryNumber: number, byteOffset: number, part: Part | null): void {
    const bundle = this.#bundle;
    const refusal = { ...fault, broken: true };
    if (bundle === null || entryNumber === 0) {
      const at = { byteOffset, segmentNumber: ++this.#resourceNumber };
      this.#lines.hold(0, () => this.#refuse('resource', refusal, at, part ?? undefined));
      return;
    }
    bundle.entryCount = Math.max(bundle.entryCount, entryNumber);
    const position = this.#positionIn(bundle, byteOffset, entryNumber);
    const named = { resource: {}, fullUrl: '', method: '', inexact: [] };
    bundle.hold({ ...named, refusal, part, position, entryNumber, sizeBytes: 256 });
  }

  #refuse(item: string, { code, message, expression, broken }: Refusal, position: Position, part?: Part): void {
    const kind = broken ? { exceptionKind: 'PARSE_FAILED' as const } : {};
    const place = expression === undefined ? {} : { segment: expression };
    this.#sink.refuse({ code, message, item, ...kind, ...place }, position, part);
  }
}
