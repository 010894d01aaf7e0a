import type { EnvelopeDraft } from '../../format-adapter.js';
import { type Fields, isFields, textAt } from '../json/objects.js';
import type { MappingContext, ResourceMapper } from './context.js';
import { CARE_MAPPERS } from './map-care.js';
import { mapClaim } from './map-claim.js';
import { mapDocument, mapEncounter, mapObservation, mapPatient, mapServiceRequest } from './map-clinical.js';
import { mapEligibility, mapResponse } from './map-response.js';
import { WORKFLOW_MAPPERS } from './map-workflow.js';
import { effectiveTime } from './moments.js';

const MAPPERS: ReadonlyMap<string, ResourceMapper> = new Map<string, ResourceMapper>([
  ['Claim', mapClaim],
  ['ClaimResponse', mapResponse],
  ['ExplanationOfBenefit', mapResponse],
  ['CoverageEligibilityResponse', mapEligibility],
  ['ServiceRequest', mapServiceRequest],
  ['Encounter', mapEncounter],
  ['Observation', mapObservation],
  ['DocumentReference', mapDocument],
  ['Patient', mapPatient],
  ...CARE_MAPPERS,
  ...WORKFLOW_MAPPERS,
]);

/** True for a type that yields events. */
export const givesEvent = (resource: Fields): boolean => MAPPERS.has(textAt(resource, 'resourceType'));

interface MappedResource {
  readonly envelope: Omit<EnvelopeDraft, 'source_system' | 'source_record_id'>;
  /** True if the effective time is the time of receipt. */
  readonly received: boolean;
}

/** Builds the envelope of a resource; null for a type that yields no event. */
export function mapResource(
  resource: Fields,
  context: MappingContext,
  options: { readonly receivedAt: string; readonly zone: string; readonly labels: readonly string[] },
): MappedResource | null {
  const type = textAt(resource, 'resourceType');
  const mapped = MAPPERS.get(type)?.(resource, context);
  if (mapped === undefined) return null;
  const sources = [...mapped.times, { name: 'meta.lastUpdated', text: textAt(resource, 'meta', 'lastUpdated') }];
  const time = effectiveTime(sources, options);
  for (const element of time.unreadable) context.warn('DATE_UNREADABLE', 'the element has no readable date', element);
  if (time.received) context.warn('DATE_MISSING', 'no element has the time of the event: the time of receipt is used');
  if (context.amounts.unreadable)
    context.warn('AMOUNT_UNREADABLE', 'an amount has more digits than can be stored: it is left out');
  const { memberId, payload } = mapped;
  return {
    envelope: {
      event_family: mapped.family,
      event_type: mapped.type,
      event_effective_timestamp: time.timestamp,
      ...(memberId !== '' && { member_id: memberId }),
      outcome: mapped.outcome,
      payload: tidy({
        resource_type: type,
        resource_id: textAt(resource, 'id'),
        ...payload,
        submission: context.references.submission?.described,
        sensitivity: options.labels,
        timestamp_basis: time.basis,
      }),
    },
    received: time.received,
  };
}

/**
 * Removes undefined, '', empty lists and empty objects at any depth. Copies only what changes, because most payloads
 * have nothing to remove.
 */
function tidy(fields: Fields): Fields {
  const names = Object.keys(fields);
  for (let at = 0; at < names.length; at += 1) {
    const value = fields[names[at] ?? ''];
    const kept = tidyValue(value);
    if (kept === undefined || kept !== value) return tidied(fields, names, { at, kept });
  }
  return fields;
}

/** Copies from the first changed value on. */
function tidied(fields: Fields, names: readonly string[], first: { at: number; kept: unknown }): Fields {
  const copy: Record<string, unknown> = {};
  names.forEach((name, at) => {
    if (at < first.at) copy[name] = fields[name];
    else {
      const value = at === first.at ? first.kept : tidyValue(fields[name]);
      if (value !== undefined) copy[name] = value;
    }
  });
  return copy;
}

function tidyValue(value: unknown): unknown {
  if (typeof value !== 'object') return value === '' ? undefined : value;
  if (value === null) return undefined;
  if (!isFields(value)) return Array.isArray(value) ? tidyList(value) : value;
  const kept = tidy(value);
  for (const _ in kept) return kept;
  return undefined;
}

function tidyList(items: readonly unknown[]): readonly unknown[] | undefined {
  for (let at = 0; at < items.length; at += 1) {
    const kept = tidyValue(items[at]);
    if (kept !== undefined && kept === items[at]) continue;
    const rest = items.slice(at + 1).map(tidyValue);
    const all = [...items.slice(0, at), kept, ...rest].filter((item) => item !== undefined);
    return all.length === 0 ? undefined : all;
  }
  return items.length === 0 ? undefined : items;
}
