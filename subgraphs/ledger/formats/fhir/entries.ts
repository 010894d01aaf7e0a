import { hash } from 'node:crypto';
import type { AdapterWarning, Part, Position } from '../format-adapter.js';
import { filled, isUsable, unique } from '../values/payload.js';
import { type Fields, fieldsAt, listAt, textAt } from './json/objects.js';
import { RESOURCE_TYPES, senderIn } from './map/references.js';

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
const bundleNumber = (bundle: Fields | null): string =>
  textAt(fieldsAt(bundle, 'identifier'), 'value') || textAt(bundle, 'id');

export function warningAt(position: Position, code: string, message: string, element?: string): AdapterWarning {
  return { code, message, position, ...(element !== undefined && { segment: element }) };
}

/** The narrative repeats the elements in XHTML and is most of a resource. An undefined member is no content. */
export const withoutNarrative = (resource: Fields): Fields =>
  resource['text'] === undefined ? resource : { ...resource, text: undefined };

/** The sender's number of a Bundle; undefined if it has none. */
export function numbersOf(bundle: Fields | null): Record<string, string> | undefined {
  const number = bundleNumber(bundle);
  return number === '' ? undefined : { bundle: number };
}

const MAX_LABELS = 50;
const MAX_LABEL_CHARACTERS = 64;

/** The security labels of a resource and of the Bundle around it (`meta.security`), which consent reads. */
export const labelsOf = (...around: readonly (Fields | null)[]): string[] =>
  unique(
    around
      .flatMap((one) => listAt(fieldsAt(one, 'meta'), 'security').map((label) => textAt(label, 'code')))
      .filter((code) => isUsable(code, MAX_LABEL_CHARACTERS)),
  ).slice(0, MAX_LABELS);
