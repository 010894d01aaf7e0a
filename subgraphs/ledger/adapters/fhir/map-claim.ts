import { unique } from '../x12/compact.js';
import {
  describeAuthorizations,
  describeDiagnoses,
  describeProviders,
  describeServices,
  servicePeriod,
} from './claim-parts.js';
import { codeOf, extensionOf, hasCode, identifierValues } from './codes.js';
import { describeCoverage } from './coverage.js';
import { describeIdentifiers, describeParty, describePerson, identityOf, jurisdictionOf } from './identity.js';
import { type Fields, fieldsAt, listAt, textAt } from './json.js';
import type { Mapped, MappingContext } from './mapping-context.js';

/** X12 1322, as the items of an authorization request carry it: what is asked. */
const certificationEvents: Readonly<Record<string, string>> = {
  '1': 'authorization_appeal',
  '3': 'authorization_cancellation',
  '4': 'authorization_extension',
  R: 'authorization_renewal',
  S: 'authorization_revision',
};

/** A claim, an authorization request, or a question what a claim would be worth, by `use`. */
export function mapClaim(resource: Fields, context: MappingContext): Mapped {
  const { references } = context;
  const { memberId, patient, coverage } = identityOf(resource, 'patient', context);
  const use = textAt(resource, 'use');
  const cancelled = ['cancelled', 'entered-in-error'].includes(textAt(resource, 'status'));
  if (!['claim', 'preauthorization', 'predetermination'].includes(use))
    context.warn('USE_UNKNOWN', 'the use of the claim is not known: it is taken for a claim', 'use');
  const insurer = fieldsAt(resource, 'insurer');
  const facility = references.resolve(fieldsAt(resource, 'facility')).resource;
  const provider = references.resolve(fieldsAt(resource, 'provider')).resource;
  const payload: Record<string, unknown> = {
    claim_kind: codeOf(fieldsAt(resource, 'type')),
    claim_id: identifierValues(resource)[0] ?? textAt(resource, 'id'),
    use,
    status: textAt(resource, 'status'),
    identifiers: describeIdentifiers(resource),
    jurisdiction: jurisdictionOf(patient, facility, provider, references.resolve(insurer).resource),
    patient: describePerson(patient),
    payer: describeParty(insurer, references),
    amounts: { charge: context.amounts.money(resource['total']) },
    service_period: servicePeriod(resource),
    priority: codeOf(fieldsAt(resource, 'priority')),
    urgency: codeOf(fieldsAt(extensionOf(resource, 'extension-levelOfServiceCode'), 'valueCodeableConcept')),
    related: relatedClaims(resource),
    encounters: encountersOf(resource),
  };
  describeCoverage(resource, coverage, payload);
  describeServices(resource, context, payload);
  describeDiagnoses(resource, context, payload);
  describeProviders(resource, context, payload);
  describeAuthorizations(resource, payload);
  describeAttachments(resource, payload);
  if (use === 'preauthorization') payload['trace_numbers'] = identifierValues(resource);
  const type = use === 'preauthorization' ? requestType(resource, cancelled) : claimType(resource, use, cancelled);
  if (type === 'claim_replaced') payload['replaces'] = replacedClaim(resource);
  return {
    family: use === 'preauthorization' ? 'prior_authorization' : 'claim',
    type,
    outcome: cancelled ? 'cancelled' : 'submitted',
    memberId,
    times: [{ name: 'created', text: textAt(resource, 'created') }],
    payload,
  };
}

function claimType(resource: Fields, use: string, cancelled: boolean): string {
  if (use === 'predetermination') return 'claim_predetermination';
  if (cancelled) return 'claim_voided';
  return replacedClaim(resource) === '' ? 'claim_submitted' : 'claim_replaced';
}

/** An earlier claim for the same services is what this one is sent in place of. */
function replacedClaim(resource: Fields): string {
  const prior = listAt(resource, 'related').find((one) => {
    const relationship = fieldsAt(one, 'relationship');
    return hasCode(relationship, 'prior') || hasCode(relationship, 'replaces');
  });
  return (
    textAt(prior, 'reference', 'value') ||
    textAt(prior, 'claim', 'reference') ||
    textAt(prior, 'claim', 'identifier', 'value')
  );
}

/** One certification type on all items says what is asked; marks of what changed make it a revision. */
function requestType(resource: Fields, cancelled: boolean): string {
  if (cancelled) return 'authorization_cancellation';
  const items = listAt(resource, 'item');
  const types = unique(
    items.map((item) => codeOf(fieldsAt(extensionOf(item, 'extension-certificationType'), 'valueCodeableConcept'))),
  );
  const [only] = types;
  const named =
    types.length === 1 && only !== undefined && Object.hasOwn(certificationEvents, only)
      ? certificationEvents[only]
      : undefined;
  if (named !== undefined) return named;
  const changed = items.some(
    (item) =>
      textAt(extensionOf(item, 'extension-infoChanged'), 'valueCode') !== '' ||
      extensionOf(item, 'modifierextension-infoCancelled')['valueBoolean'] === true,
  );
  return changed ? 'authorization_revision' : 'authorization_requested';
}

function relatedClaims(resource: Fields): Record<string, unknown>[] {
  return listAt(resource, 'related')
    .slice(0, 50)
    .map((one) => ({
      claim: textAt(one, 'claim', 'reference') || textAt(one, 'claim', 'identifier', 'value'),
      relationship: codeOf(fieldsAt(one, 'relationship')),
      reference: textAt(one, 'reference', 'value'),
    }));
}

const encountersOf = (resource: Fields): string[] =>
  unique(
    listAt(resource, 'item')
      .flatMap((item) => listAt(item, 'encounter'))
      .map((one) => textAt(one, 'reference'))
      .filter((one) => one !== ''),
  ).slice(0, 50);

/** Documents that support a claim: PWK's counterpart, with the control number that joins them. */
function describeAttachments(resource: Fields, payload: Record<string, unknown>): void {
  const attachments: Record<string, unknown>[] = [];
  for (const info of listAt(resource, 'supportingInfo').slice(0, 100)) {
    const about = extensionOf(info, 'extension-documentInformation');
    const reference = textAt(info, 'valueReference', 'reference');
    const isDocument = /(?:^|\/)DocumentReference\//.test(reference);
    if (Object.keys(about).length === 0 && !isDocument) continue;
    attachments.push({
      report_type: codeOf(fieldsAt(extensionOf(about, 'reportTypeCode'), 'valueCodeableConcept')),
      transmission: codeOf(fieldsAt(extensionOf(about, 'transmissionMethod'), 'valueCodeableConcept')),
      control_number: textAt(extensionOf(about, 'controlNumber'), 'valueString'),
      document: isDocument ? reference : '',
    });
  }
  payload['attachments'] = attachments;
}
