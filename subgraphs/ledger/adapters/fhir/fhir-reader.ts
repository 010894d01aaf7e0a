import type { AdapterItem, AdapterOptions, AdapterWarning, Part, Position } from '../adapter.js';
import { Amounts } from './amounts.js';
import { BundleHold, type HeldEntry } from './bundle-hold.js';
import {
  bundleNumber,
  describeRaw,
  entryPath,
  givesEvent,
  partOf,
  type Refusal,
  recordIdOf,
  refusalOfType,
  sourceSystemOf,
  warningAt,
} from './fhir-items.js';
import { type Fields, fieldsAt, textAt } from './json.js';
import { JsonSplitter } from './json-splitter.js';
import { judgeJson } from './judge-json.js';
import { mapResource } from './map-resource.js';
import { References } from './references.js';
import type { ResourceCheck } from './resource-check.js';
import type { Envelope, Lost, Unit } from './splitter-sink.js';

const defaultWindowBytes = 64 * 1024;
/** A resource is held whole until it ends; a longer one is refused. */
export const resourceBytesLimit = 16 * 1024 * 1024;
/** Deeper resources are refused before anything recursive sees them. */
export const depthLimit = 64;
/** Entries wait for what their references name, so much of a Bundle at a time. */
export const bundleHoldBytes = 8 * 1024 * 1024;
const nestedBundles = 3;

/** Reads a body, its resources, Bundles and lines, into items. */
export class FhirReader {
  readonly splitter: JsonSplitter;
  private items: AdapterItem[] = [];
  private nextIndex = 0;
  private resourceNumber = 0;
  private bundle: BundleHold | null = null;
  private readonly options: AdapterOptions;
  private readonly check: ResourceCheck | null;

  /** `check` refuses resources that are not valid; strict reading brings it. */
  constructor(options: AdapterOptions, check: ResourceCheck | null = null) {
    this.options = options;
    this.check = check;
    this.splitter = new JsonSplitter(
      {
        unit: (unit) => this.takeUnit(unit),
        bundleBegin: (head, start) => this.beginBundle(head, start),
        bundleEnd: (envelope) => this.endBundle(envelope),
        lost: (lost) => this.takeLost(lost),
      },
      this.splitterLimits(),
    );
  }

  finish(): void {
    this.splitter.finish();
  }

  /** The items that were read since the last call. */
  drain(): AdapterItem[] {
    const out = this.items;
    if (out.length > 0) this.items = [];
    return out;
  }

  private splitterLimits(): { windowBytes: number; unitBytes: number; depth: number } {
    const windowBytes = this.options.limits.windowBytes ?? defaultWindowBytes;
    // Around an entry's resource stand the Bundle, its list and the entry.
    return { windowBytes, unitBytes: resourceBytesLimit, depth: depthLimit + 3 };
  }

  private takeUnit(unit: Unit): void {
    if (unit.kind === 'document') this.takeDocument(unit);
    else if (this.bundle !== null) this.takeEntry(this.bundle, unit, unit.entryNumber, 0);
  }

  private takeDocument(unit: Unit): void {
    const position = { byteOffset: unit.start, segmentNumber: ++this.resourceNumber };
    const part = partOf(unit.bytes, unit.start);
    const judged = judgeJson(unit.bytes, unit);
    if (!('value' in judged)) {
      this.refuse('resource', { ...judged, broken: true }, position, part);
      return;
    }
    const resource = judged.value;
    const type = textAt(resource, 'resourceType');
    const refusal = refusalOfType(resource) ?? this.check?.(resource) ?? null;
    if (refusal !== null) {
      this.refuse(type || 'resource', refusal, position, part);
      return;
    }
    const references = new References(resource, { fullUrl: '', index: null, complete: true });
    const given =
      givesEvent(resource) && this.giveEvent(resource, references, null, { part, position, inexact: unit.inexact });
    const warnings = given ? [] : [warningAt(position, 'NO_EVENT', `${type} gives no event`, type)];
    this.items.push({
      kind: 'transaction',
      transaction: type,
      version: 'R4',
      controlNumbers: {},
      position,
      segmentCount: 1,
      accepted: given ? 1 : 0,
      refused: 0,
      complete: true,
      warnings,
    });
  }

  private beginBundle(head: Buffer, start: number): void {
    const judged = judgeJson(Buffer.concat([head, Buffer.from(']}')]), {
      members: null,
      tooDeep: false,
      surrogates: true,
    });
    // Repeated keys are seen at its end; what stands before the entries is enough for now.
    const about = 'value' in judged ? judged.value : null;
    const limit = this.options.strict ? this.options.limits.strictHoldBytes : bundleHoldBytes;
    this.bundle = new BundleHold(start, about, limit);
  }

  private takeEntry(bundle: BundleHold, unit: Unit, entryNumber: number, level: number): void {
    bundle.entryCount = Math.max(bundle.entryCount, entryNumber);
    const { from, to } = unit.resource;
    const held = {
      position: { byteOffset: from, segmentNumber: ++this.resourceNumber, transactionPosition: entryNumber },
      part: partOf(unit.bytes.subarray(from - unit.start, Math.max(to, from) - unit.start), from),
      inexact: unit.inexact,
      entryNumber,
      sizeBytes: unit.bytes.length,
    };
    const judged = judgeJson(unit.bytes, unit);
    if (!('value' in judged)) {
      const whole = to > from ? held.part : partOf(unit.bytes, unit.start);
      bundle.hold({ ...held, part: whole, resource: {}, fullUrl: '', refusal: { ...judged, broken: true } });
    } else if (to > from) {
      this.takeResource(
        bundle,
        unit,
        { ...held, fullUrl: textAt(judged.value, 'fullUrl') },
        fieldsAt(judged.value, 'resource'),
        level,
      );
    } else this.resourceNumber -= 1;
    while (bundle.overflows) this.releaseOverflow(bundle);
  }

  private takeResource(
    bundle: BundleHold,
    unit: Unit,
    held: Omit<HeldEntry, 'resource' | 'refusal'>,
    resource: Fields,
    level: number,
  ): void {
    const type = textAt(resource, 'resourceType');
    if (type === 'Bundle' && level < nestedBundles) {
      this.takeNested(bundle, unit, held.entryNumber, level);
      return;
    }
    const refusal = refusalOfType(resource) ?? this.check?.(resource) ?? null;
    if (held.entryNumber === 1 && (type === 'Claim' || type === 'ClaimResponse'))
      bundle.isAuthorization ||= textAt(resource, 'use') === 'preauthorization';
    if (refusal === null) bundle.index.add(held.fullUrl, resource);
    // A search tells in its own OperationOutcome what it did not find.
    const isSearchNote = refusal?.code === 'UNSUPPORTED_TRANSACTION' && bundle.type === 'searchset';
    const isContext = type === 'ServiceRequest' && bundle.isAuthorization;
    if (isSearchNote || (refusal === null && (isContext || !givesEvent(resource)))) bundle.countWithoutEvent(type);
    else bundle.hold({ ...held, resource: withoutNarrative(resource), refusal });
  }

  /** A Bundle in a Bundle (the history of a subscription, the answers of a batch): its entries are entries of the outer one. */
  private takeNested(bundle: BundleHold, unit: Unit, entryNumber: number, level: number): void {
    const { from, to } = unit.resource;
    const nested = new JsonSplitter(
      {
        unit: (inner) => {
          if (inner.kind === 'entry') this.takeEntry(bundle, inner, entryNumber, level + 1);
        },
        bundleBegin: () => undefined,
        bundleEnd: () => undefined,
        lost: (lost) => this.takeLost(lost),
      },
      this.splitterLimits(),
      from,
    );
    nested.push(unit.bytes.subarray(from - unit.start, to - unit.start));
    nested.finish();
  }

  private releaseOverflow(bundle: BundleHold): void {
    const tooLong = {
      code: 'BUNDLE_TOO_LONG',
      message: 'strict reading checks a Bundle to its end before it gives events: this one is longer than is held',
      broken: true,
    };
    this.release(bundle, { complete: true, refusal: this.options.strict ? tooLong : this.refusalOfBundle(bundle) });
  }

  /** What refuses every entry of a Bundle; null when nothing does. */
  private refusalOfBundle(bundle: BundleHold): Refusal | null {
    const type = textAt(bundle.about, 'resourceType');
    if (type === '' || type === 'Bundle') return null;
    return {
      code: 'NOT_A_BUNDLE',
      message: 'entries with resources stand in a resource that is no Bundle',
      expression: 'resourceType',
      broken: true,
    };
  }

  private release(bundle: BundleHold, about: { complete: boolean; refusal: Refusal | null }): boolean {
    const held = bundle.release();
    if (held === undefined) return false;
    const { resource, position, part, entryNumber, fullUrl, inexact } = held;
    const refusal = held.refusal ?? about.refusal;
    if (refusal !== null || part === null) {
      const found = refusal ?? { code: 'NOT_JSON', message: 'the entry cannot be read', broken: true };
      this.refuse(
        textAt(resource, 'resourceType') || 'entry',
        { ...found, expression: placeOf(entryNumber, found) },
        position,
        part ?? undefined,
      );
      bundle.refused += 1;
      return true;
    }
    const references = new References(resource, { fullUrl, index: bundle.index, complete: about.complete });
    if (this.giveEvent(resource, references, bundle.about, { part, position, inexact })) bundle.accepted += 1;
    return true;
  }

  private endBundle(envelope: Envelope): void {
    const { bundle } = this;
    this.bundle = null;
    if (bundle === null) return;
    const position = { byteOffset: bundle.start, segmentNumber: Math.max(1, this.resourceNumber) };
    const warnings: AdapterWarning[] = [];
    let refusal = envelope.complete ? this.judgeEnvelope(bundle, envelope, position, warnings) : null;
    refusal ??= this.refusalOfBundle(bundle);
    if (!envelope.complete) {
      const cut = { code: 'BUNDLE_CUT', message: 'the body ends before the Bundle does' };
      warnings.push(warningAt(position, cut.code, cut.message, 'Bundle'));
      this.items.push({ kind: 'exception', exceptionKind: 'PARSE_FAILED', ...cut, segment: 'Bundle', position });
      if (this.options.strict) refusal ??= { ...cut, broken: false };
    }
    if (this.options.strict && bundle.type === 'transaction' && bundle.anyRefused) {
      refusal ??= {
        code: 'TRANSACTION_REFUSED',
        message: 'a transaction goes in as a whole, and another entry of it was refused',
        broken: false,
      };
    }
    while (this.release(bundle, { complete: envelope.complete, refusal }));
    for (const [type, count] of bundle.withoutEvent) {
      warnings.push(warningAt(position, 'NO_EVENT', `${count} of type ${type} gave no event`, type));
    }
    this.endTransaction(bundle, position, envelope.complete, warnings);
  }

  /** The Bundle without its entries: repeated keys refuse all of it; what else is odd is told. */
  private judgeEnvelope(
    bundle: BundleHold,
    envelope: Envelope,
    position: Position,
    warnings: AdapterWarning[],
  ): Refusal | null {
    const { members, tooDeep } = envelope;
    const judged = judgeJson(Buffer.concat([envelope.head, envelope.tail]), { members, tooDeep, surrogates: true });
    if ('value' in judged) bundle.about = judged.value;
    const fault = 'value' in judged ? null : judged;
    if (fault?.code === 'DUPLICATE_KEY') return { ...fault, expression: 'Bundle', broken: true };
    if (fault === null && !envelope.garbled) return null;
    const odd = {
      code: 'BUNDLE_UNREADABLE',
      message: 'what stands around the entries of the Bundle is not well-formed JSON',
    };
    warnings.push(warningAt(position, odd.code, odd.message, 'Bundle'));
    return this.options.strict ? { ...odd, expression: 'Bundle', broken: true } : null;
  }

  private endTransaction(bundle: BundleHold, position: Position, complete: boolean, warnings: AdapterWarning[]): void {
    const number = bundleNumber(bundle.about);
    this.items.push({
      kind: 'transaction',
      transaction: `Bundle/${bundle.type || 'unknown'}`,
      version: 'R4',
      controlNumbers: number === '' ? {} : { bundle: number },
      position,
      segmentCount: bundle.entryCount,
      accepted: bundle.accepted,
      refused: bundle.refused,
      complete,
      warnings,
      detail: { bundle_type: bundle.type, entries: bundle.entryCount },
    });
  }

  /** False when the type gives no event. */
  private giveEvent(
    resource: Fields,
    references: References,
    bundle: Fields | null,
    place: { part: Part; position: Position; inexact: readonly number[] },
  ): boolean {
    const { part, position, inexact } = place;
    const warnings: AdapterWarning[] = [];
    const type = textAt(resource, 'resourceType');
    const warn = (code: string, message: string, element?: string): void => {
      warnings.push(warningAt(position, code, message, element === undefined ? type : `${type}.${element}`));
    };
    if (inexact.length > 0) warn('NUMBER_INEXACT', 'a number is written with more digits than can be kept');
    const context = { references, amounts: new Amounts(inexact), warn };
    const mapped = mapResource(resource, context, {
      receivedAt: this.options.receivedAt,
      zone: this.options.tenantTimeZone ?? 'UTC',
    });
    if (mapped === null) return false;
    const named = sourceSystemOf(this.options.sourceSystem, bundle, resource);
    if (named === '') warn('SENDER_MISSING', 'meta.source names no sender: the format stands for it', 'meta.source');
    const { envelope, received } = mapped;
    const number = bundleNumber(bundle);
    const controlNumbers: Record<string, string> = number === '' ? {} : { bundle: number };
    const draft = { ...envelope, source_system: named || 'fhir', source_record_id: recordIdOf(resource, part) };
    draft.payload['raw'] = describeRaw({ part, transaction: type, controlNumbers, warnings });
    const index = this.nextIndex++;
    this.items.push({
      kind: 'event',
      index,
      envelope: draft,
      part,
      position,
      warnings,
      duplicateKeyOmitsTime: received,
    });
    if (draft.member_id !== undefined) return true;
    const message = 'neither a coverage, an identifier nor a reference names a member';
    this.items.push({
      kind: 'exception',
      exceptionKind: 'UNKNOWN_MEMBER',
      code: 'MEMBER_MISSING',
      message,
      index,
      segment: type,
      position,
      part,
    });
    return true;
  }

  private takeLost({ code, message, start, entryNumber, bytes }: Lost): void {
    const { bundle } = this;
    const at = { byteOffset: start, segmentNumber: ++this.resourceNumber };
    const part = bytes === null ? null : partOf(bytes, start);
    const refusal = { code, message, broken: true };
    if (bundle === null || entryNumber === 0) {
      this.refuse('resource', refusal, at, part ?? undefined);
      return;
    }
    bundle.entryCount = Math.max(bundle.entryCount, entryNumber);
    const position = { ...at, transactionPosition: entryNumber };
    bundle.hold({ resource: {}, fullUrl: '', refusal, inexact: [], part, position, entryNumber, sizeBytes: 256 });
  }

  private refuse(item: string, { code, message, expression, broken }: Refusal, position: Position, part?: Part): void {
    this.items.push({
      kind: 'refused',
      index: this.nextIndex++,
      code,
      message,
      item,
      position,
      ...(broken && { exceptionKind: 'PARSE_FAILED' as const }),
      ...(expression !== undefined && { segment: expression }),
      ...(part && { part }),
    });
  }
}

/** The narrative says in XHTML what the elements say; nothing reads it, and it is most of a resource. */
function withoutNarrative(resource: Fields): Fields {
  const { text: _, ...rest } = resource;
  return rest;
}

function placeOf(entryNumber: number, { expression }: Refusal): string {
  const path = entryPath(entryNumber);
  if (expression === undefined || expression.startsWith('Bundle')) return path;
  return `${path}.resource.${expression}`;
}
