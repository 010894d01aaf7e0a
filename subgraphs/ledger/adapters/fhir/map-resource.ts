import type { EnvelopeDraft } from '../adapter.js';
import { type Fields, isFields, textAt } from './json.js';
import { mapClaim } from './map-claim.js';
import { mapDocument, mapEncounter, mapObservation, mapPatient, mapServiceRequest } from './map-clinical.js';
import { mapEligibility, mapResponse } from './map-response.js';
import type { MappingContext, ResourceMapper } from './mapping-context.js';
import { effectiveTime } from './moments.js';

const mappers: Readonly<Record<string, ResourceMapper>> = {
  Claim: mapClaim,
  ClaimResponse: mapResponse,
  ExplanationOfBenefit: mapResponse,
  CoverageEligibilityResponse: mapEligibility,
  ServiceRequest: mapServiceRequest,
  Encounter: mapEncounter,
  Observation: mapObservation,
  DocumentReference: mapDocument,
  Patient: mapPatient,
};

export interface MappedResource {
  readonly envelope: Omit<EnvelopeDraft, 'source_system' | 'source_record_id'>;
  /** True when the effective time is the time of receipt. */
  readonly received: boolean;
}

/** The envelope of a resource; null for a type that gives no event. */
export function mapResource(
  resource: Fields,
  context: MappingContext,
  options: { readonly receivedAt: string; readonly zone: string },
): MappedResource | null {
  const type = textAt(resource, 'resourceType');
  const mapper = Object.hasOwn(mappers, type) ? mappers[type] : undefined;
  if (mapper === undefined) return null;
  const mapped = mapper(resource, context);
  const sources = [...mapped.times, { name: 'meta.lastUpdated', text: textAt(resource, 'meta', 'lastUpdated') }];
  const time = effectiveTime(sources, options);
  for (const element of time.unreadable)
    context.warn('DATE_UNREADABLE', 'the element holds no date that can be read', element);
  if (time.received)
    context.warn('DATE_MISSING', 'no element holds the time of the event: the time of receipt is taken');
  if (context.amounts.unreadable)
    context.warn('AMOUNT_UNREADABLE', 'an amount is written with more digits than can be kept: it is left out');
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
        timestamp_basis: time.basis,
      }),
    },
    received: time.received,
  };
}

/** Without what is absent, at any depth: undefined, '', empty lists and objects. Payloads are a few levels deep. */
function tidy(fields: Fields): Record<string, unknown> {
  const kept: Record<string, unknown> = {};
  for (const name in fields) {
    const value = tidyValue(fields[name]);
    if (value !== undefined) kept[name] = value;
  }
  return kept;
}

function tidyValue(value: unknown): unknown {
  if (value === '' || value === null || value === undefined) return undefined;
  if (Array.isArray(value)) {
    const items = value.map(tidyValue).filter((item) => item !== undefined);
    return items.length === 0 ? undefined : items;
  }
  if (!isFields(value)) return value;
  const kept = tidy(value);
  for (const _ in kept) return kept;
  return undefined;
}
