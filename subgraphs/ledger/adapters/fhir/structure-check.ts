import { gunzipSync } from 'node:zlib';
import type { Refusal } from './fhir-items.js';
import { type Fields, isFields } from './json.js';
import type { ResourceCheck } from './resource-check.js';

/** About a third of a second of work; what holds more than an envelope may hold is not worth judging. */
const valuesLimit = 20_000;
/** The validator's own limit of texts, which attachments rightly exceed. */
const ownLimits: ReadonlySet<string> = new Set(['String cannot be larger than 1 MB']);
const additional = /^Invalid additional property/;

interface Issue {
  readonly severity?: string;
  readonly details?: { readonly text?: string };
  readonly expression?: readonly string[];
}

let loading: Promise<ResourceCheck> | undefined;

/** Loaded when something is first read strictly: it costs a third of a second, and some megabytes. */
export function structureCheck(): Promise<ResourceCheck> {
  loading ??= load();
  return loading;
}

/**
 * Judges a resource by FHIR R4's structure definitions with the validator of @medplum/core: elements that there are, cardinalities,
 * types, formats and invariants. Not profiles, not terminology.
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
      const message = `strict reading judges resources of ${valuesLimit} values at most`;
      return { code: 'RESOURCE_TOO_LARGE', message, expression: String(resource['resourceType']), broken: true };
    }
    try {
      validateResource(withoutUnknown(resource, known) as never);
      return null;
    } catch (error) {
      return refusalOf(error);
    }
  };
}

/** What is contained and of a type without a definition here is left out of the judgement. */
function withoutUnknown(resource: Fields, known: ReadonlySet<unknown>): Fields {
  const { contained } = resource;
  if (!Array.isArray(contained)) return resource;
  return { ...resource, contained: contained.filter((one) => !isFields(one) || known.has(one['resourceType'])) };
}

/** The first fault that is one, by its place; the words are the definitions', and none of the resource's own. */
function refusalOf(error: unknown): Refusal | null {
  const issues = (error as { outcome?: { issue?: readonly Issue[] } }).outcome?.issue;
  if (issues === undefined) throw error;
  const fault = issues.find(({ severity, details }) => severity === 'error' && !ownLimits.has(details?.text ?? ''));
  if (fault === undefined) return null;
  const text = fault.details?.text ?? '';
  // The resource's own type stands before the path.
  const [, path = ''] = /^[A-Za-z]+\.(.*)$/.exec(fault.expression?.[0] ?? '') ?? [];
  if (!additional.test(text)) return invalid(path, text);
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
    if (values > valuesLimit) return true;
    for (const one of below) if (typeof one === 'object' && one !== null) left.push(one);
  }
  return false;
}
