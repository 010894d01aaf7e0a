import { hash } from 'node:crypto';
import type { AdapterWarning, Part, Position } from '../format-adapter.js';
import { filled, isUsable } from '../values/payload.js';
import { type Fields, fieldsAt, listAt, textAt } from './json/objects.js';
import { RESOURCE_TYPES, ReferenceIndex, senderIn } from './map/references.js';

const RECORD_ID_LIMIT = 256;
const SOURCE_SYSTEM_LIMIT = 128;

/** Why a part yields no event. */
export interface Refusal {
  readonly code: string;
  readonly message: string;
  /** FHIRPath of the fault, if known. */
  readonly expression?: string;
  /** False if it is well formed and only unsupported. */
  readonly broken: boolean;
}

/** Rejects unknown types and OperationOutcomes of other systems. */
export function refusalOfType(resource: Fields): Refusal | null {
  const type = textAt(resource, 'resourceType');
  const broken = { expression: 'resourceType', broken: true };
  if (type === '') return { code: 'RESOURCE_TYPE_MISSING', message: 'the object has no resourceType', ...broken };
  if (!RESOURCE_TYPES.has(type))
    return { code: 'RESOURCE_TYPE_UNKNOWN', message: 'the resourceType is not in FHIR R4', ...broken };
  if (type !== 'OperationOutcome') return null;
  return { code: 'UNSUPPORTED_TRANSACTION', message: 'OperationOutcome yields no event', broken: false };
}

/** `Type/id/version`, else the first identifier, else the hash of the bytes: stable for the same bytes. */
export function recordIdOf(resource: Fields, part: Part): string {
  const type = textAt(resource, 'resourceType');
  const id = textAt(resource, 'id');
  const version = textAt(resource, 'meta', 'versionId') || textAt(resource, 'meta', 'lastUpdated');
  const identifier = listAt(resource, 'identifier').find((one) => textAt(one, 'value') !== '');
  const named = filled([textAt(identifier, 'system'), textAt(identifier, 'value')]).join('|');
  const found = id === '' ? named : filled([type, id, version]).join('/');
  return isUsable(found, RECORD_ID_LIMIT) ? found : `${type}/sha256/${part.contentSha256 ?? part.sha256}`;
}

/** The caller's value, else the Bundle's source, else the resource's; '' if none is usable. */
export function sourceSystemOf(stated: string | undefined, bundle: Fields | null, resource: Fields): string {
  const candidates = [stated ?? '', senderIn(bundle), senderIn(resource)];
  return candidates.find((name) => isUsable(name, SOURCE_SYSTEM_LIMIT)) ?? '';
}

export function partOf(bytes: Buffer, offset: number): Part {
  return { offset, length: bytes.length, sha256: hash('sha256', bytes, 'hex') };
}

/** The sender's number of a Bundle. */
export const bundleNumber = (bundle: Fields | null): string =>
  textAt(fieldsAt(bundle, 'identifier'), 'value') || textAt(bundle, 'id');

/** The FHIRPath of an entry. */
export const entryPath = (entryNumber: number): string => `Bundle.entry[${entryNumber - 1}]`;

export function warningAt(position: Position, code: string, message: string, element?: string): AdapterWarning {
  return { code, message, position, ...(element !== undefined && { segment: element }) };
}

/** One entry in memory: a resource that may yield an event, or the reason why it yields none. */
export interface HeldEntry {
  readonly resource: Fields;
  readonly fullUrl: string;
  /** HTTP method of its request; '' if it has none. */
  readonly method: string;
  readonly refusal: Refusal | null;
  readonly inexact: readonly number[];
  readonly part: Part | null;
  readonly position: Position;
  readonly entryNumber: number;
  readonly sizeBytes: number;
}

/**
 * Holds the entries of a Bundle until their references can be resolved. A Bundle within the limit is mapped at its end;
 * the oldest entries of a longer one are released while it streams in.
 */
export class BundleHold {
  readonly index = new ReferenceIndex();
  readonly start: number;
  /** The Bundle without its entries: at first the part before them, at the end all of it. */
  about: Fields | null;
  entryCount = 0;
  /** Da Vinci PAS: an authorization request or answer with its related resources. */
  isAuthorization = false;
  accepted = 0;
  refused = 0;
  /** Resources that yield no event, by type. */
  readonly withoutEvent = new Map<string, number>();
  readonly #entries: HeldEntry[] = [];
  #first = 0;
  #heldBytes = 0;
  readonly #limitBytes: number;

  constructor(start: number, about: Fields | null, limitBytes: number) {
    this.start = start;
    this.about = about;
    this.#limitBytes = limitBytes;
  }

  get type(): string {
    return textAt(this.about, 'type');
  }

  get overflows(): boolean {
    return this.#heldBytes > this.#limitBytes;
  }

  get anyRefused(): boolean {
    return this.refused > 0 || this.#entries.some(({ refusal }) => refusal !== null);
  }

  hold(entry: HeldEntry): void {
    this.#entries.push(entry);
    this.#heldBytes += entry.sizeBytes;
  }

  countWithoutEvent(type: string): void {
    this.withoutEvent.set(type, (this.withoutEvent.get(type) ?? 0) + 1);
  }

  /** Removes and returns the oldest entry. */
  release(): HeldEntry | undefined {
    const entry = this.#entries[this.#first];
    if (entry === undefined) return undefined;
    this.#first += 1;
    this.#heldBytes -= entry.sizeBytes;
    if (this.#first > 1_024) {
      this.#entries.splice(0, this.#first);
      this.#first = 0;
    }
    return entry;
  }
}
