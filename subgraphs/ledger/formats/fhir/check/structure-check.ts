import { gunzipSync } from 'node:zlib';
import type { Refusal } from '../entries.js';
import { type Fields, fieldsAt, isFields, listAt, textsAt } from '../json/objects.js';
import type { ResourceCheck } from './resource-check.js';

/** The largest resource that is checked, about a third of a second of work; larger ones exceed the envelope anyway. */
const VALUES_LIMIT = 20_000;
/** Issues from the validator's own text limit, which valid attachments exceed. */
const OWN_LIMITS: ReadonlySet<string> = new Set(['String cannot be larger than 1 MB']);
const ADDITIONAL = /^Invalid additional property/;

let loading: Promise<ResourceCheck> | undefined;

/** Loads the definitions on the first strict reading: a third of a second and some megabytes. */
export function structureCheck(): Promise<ResourceCheck> {
  loading ??= load();
  return loading;
}

/**
 * Checks a resource by FHIR R4's structure definitions with the validator of @medplum/core: known elements,
 * cardinalities, types, formats and invariants; no profiles, no terminology.
 */
async function load(): Promise<ResourceCheck> {
  const { indexStructureDefinitionBundle, validateResource } = await import('@medplum/core');
  const { R4_DEFINITIONS } = await import('./r4-definitions.js');
  const definitions = JSON.parse(gunzipSync(Buffer.from(R4_DEFINITIONS, 'base64')).toString('utf8'));
  indexStructureDefinitionBundle(definitions);
  const known = new Set<unknown>(definitions.entry.map((entry: { resource: Fields }) => entry.resource['name']));
  return (resource) => {
    if (!known.has(resource['resourceType'])) return null;
    if (exceedsValues(resource)) {
      const message = `strict reading checks resources of ${VALUES_LIMIT} values at most`;
      return { code: 'RESOURCE_TOO_LARGE', message, expression: String(resource['resourceType']), broken: true };
    }
    try {
      // The validator checks what its parameter type demands.
      validateResource(withoutUnknown(resource, known) as Parameters<typeof validateResource>[0]);
      return null;
    } catch (error) {
      return refusalOf(error);
    }
  };
}

/** Leaves out contained resources of types without a definition here. */
function withoutUnknown(resource: Fields, known: ReadonlySet<unknown>): Fields {
  const { contained } = resource;
  if (!Array.isArray(contained)) return resource;
  return { ...resource, contained: contained.filter((one) => !isFields(one) || known.has(one['resourceType'])) };
}

/** The first real fault with its path. The text comes from the definitions, not from the resource. */
function refusalOf(error: unknown): Refusal | null {
  const outcome = fieldsAt(error, 'outcome');
  if (outcome['issue'] === undefined) throw error;
  const faults = listAt(outcome, 'issue').filter(({ severity }) => severity === 'error');
  const texts = faults.map((fault) => String(fieldsAt(fault, 'details')['text'] ?? ''));
  const at = texts.findIndex((text) => !OWN_LIMITS.has(text));
  if (at === -1) return null;
  const text = texts[at] ?? '';
  const [expression = ''] = textsAt(faults[at], 'expression');
  // The path starts with the resource's type.
  const [, path = ''] = /^[A-Za-z]+\.(.*)$/.exec(expression) ?? [];
  if (!ADDITIONAL.test(text)) return invalid(path, text);
  return invalid(path.split('.').slice(0, -1).join('.'), 'an element that FHIR R4 does not have');
}

const invalid = (expression: string, what: string): Refusal => ({
  code: 'RESOURCE_INVALID',
  message: expression === '' ? what : `${expression.replace(/\[\d+\]/g, '')}: ${what}`,
  ...(expression !== '' && { expression }),
  broken: true,
});

/** Counts without recursion. */
function exceedsValues(resource: Fields): boolean {
  const left: unknown[] = [resource];
  let values = 0;
  for (let value = left.pop(); value !== undefined; value = left.pop()) {
    if (typeof value !== 'object' || value === null) continue;
    const below = Object.values(value);
    values += below.length;
    if (values > VALUES_LIMIT) return true;
    for (const one of below) if (typeof one === 'object' && one !== null) left.push(one);
  }
  return false;
}
