import { hash } from 'node:crypto';
import type { AdapterWarning, Part, Position } from '../adapter.js';
import { type Fields, fieldsAt, holdsControl, listAt, textAt } from './json.js';
import { mappedTypes, resourceTypes } from './resource-types.js';

const recordIdLimit = 256;
const sourceSystemLimit = 128;

/** Why a part gives no event. */
export interface Refusal {
  readonly code: string;
  readonly message: string;
  /** FHIRPath of what is wrong, where it is known. */
  readonly expression?: string;
  /** False for what is well formed and only not read. */
  readonly broken: boolean;
}

/** What is not refused by its type: of known name, and no answer of another system. */
export function refusalOfType(resource: Fields): Refusal | null {
  const type = textAt(resource, 'resourceType');
  if (type === '')
    return {
      code: 'RESOURCE_TYPE_MISSING',
      message: 'the object names no resourceType',
      expression: 'resourceType',
      broken: true,
    };
  if (!resourceTypes.has(type))
    return {
      code: 'RESOURCE_TYPE_UNKNOWN',
      message: 'the resourceType is none of FHIR R4',
      expression: 'resourceType',
      broken: true,
    };
  if (type !== 'OperationOutcome') return null;
  return { code: 'UNSUPPORTED_TRANSACTION', message: 'OperationOutcome gives no event', broken: false };
}

export const givesEvent = (resource: Fields): boolean => mappedTypes.has(textAt(resource, 'resourceType'));

/** `Type/id/version`, else the first identifier, else the hash of the bytes: the same for the same bytes. */
export function recordIdOf(resource: Fields, part: Part): string {
  const type = textAt(resource, 'resourceType');
  const id = textAt(resource, 'id');
  const version = textAt(resource, 'meta', 'versionId') || textAt(resource, 'meta', 'lastUpdated');
  const identifier = listAt(resource, 'identifier').find((one) => textAt(one, 'value') !== '');
  const named = [textAt(identifier, 'system'), textAt(identifier, 'value')].filter((text) => text !== '').join('|');
  const found = id === '' ? named : [type, id, version].filter((text) => text !== '').join('/');
  return isUsable(found, recordIdLimit) ? found : `${type}/sha256/${part.sha256}`;
}

/** What the caller sent, else the Bundle's source, else the resource's; '' when nobody is named. */
export function sourceSystemOf(stated: string | undefined, bundle: Fields | null, resource: Fields): string {
  const candidates = [stated ?? '', textAt(bundle, 'meta', 'source'), textAt(resource, 'meta', 'source')];
  return candidates.find((name) => isUsable(name, sourceSystemLimit)) ?? '';
}

/** Printable, and not too long for the envelope. */
function isUsable(text: string, limit: number): boolean {
  return text !== '' && text.length <= limit && !holdsControl(text);
}

export function partOf(bytes: Buffer, offset: number): Part {
  return { offset, length: bytes.length, sha256: hash('sha256', bytes, 'hex') };
}

/** The number that its sender gave a Bundle. */
export const bundleNumber = (bundle: Fields | null): string =>
  textAt(fieldsAt(bundle, 'identifier'), 'value') || textAt(bundle, 'id');

export interface RawFacts {
  readonly part: Part;
  readonly transaction: string;
  readonly controlNumbers: Readonly<Record<string, string>>;
  readonly warnings: readonly AdapterWarning[];
}

/** `payload.raw`: where in the body an event was read from. */
export function describeRaw({ part, transaction, controlNumbers, warnings }: RawFacts): Record<string, unknown> {
  return {
    part_sha256: part.sha256,
    offset: part.offset,
    length: part.length,
    format: 'fhir',
    transaction,
    version: 'R4',
    ...(Object.keys(controlNumbers).length > 0 && { control_numbers: controlNumbers }),
    warnings: warnings.map(({ code, message, segment }) => ({
      code,
      message,
      ...(segment !== undefined && { segment }),
    })),
  };
}

/** An entry's place for those who read FHIRPath. */
export const entryPath = (entryNumber: number): string => `Bundle.entry[${entryNumber - 1}]`;

export function warningAt(position: Position, code: string, message: string, element?: string): AdapterWarning {
  return { code, message, position, ...(element !== undefined && { segment: element }) };
}
