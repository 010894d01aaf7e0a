import type { AttachedDocument } from '../../format-adapter.js';
import { byCode } from '../../values/codes.js';
import { unique } from '../../values/payload.js';
import { type Fields, fieldsAt, listAt, textAt, textsAt } from '../json/objects.js';
import { describeAttachment } from './attachments.js';
import {
  describeAuthorizations,
  describeDiagnoses,
  describeProviders,
  describeServices,
  describeWho,
  servicePeriod,
} from './claim-parts.js';
import { codeOf, extensionOf, hasCode, identifierValues, textsIn } from './codes.js';
import type { Mapped, MappingContext } from './context.js';
import { describeCoverage } from './coverage.js';

/** X12 1322 on the items of an authorization request: the certification type. */
const CERTIFICATION_EVENTS = byCode({
  authorization_appeal: '1',
  authorization_cancellation: '3',
  authorization_extension: '4',
  authorization_renewal: 'R',
  authorization_revision: 'S',
});

/** Maps a claim, an authorization request or a predetermination, by `use`. */
export function mapClaim(resource: Fields, context: MappingContext): Mapped {
  const { memberId, coverage, who } = describeWho(resource, context);
  const use = textAt(resource, 'use');
  const cancelled = ['cancelled', 'entered-in-error'].includes(textAt(resource, 'status'));
  if (!['claim', 'preauthorization', 'predetermination'].includes(use))
    context.warn('USE_UNKNOWN', 'the use of the claim is unknown: it is read as a claim', 'use');
  const payload: Record<string, unknown> = {
    claim_kind: codeOf(resource['type']),
    claim_id: identifierValues(resource)[0] ?? textAt(resource, 'id'),
    use,
    status: textAt(resource, 'status'),
    ...who,
    amounts: { charge: context.amounts.money(resource['total']) },
    service_period: servicePeriod(resource),
    priority: codeOf(resource['priority']),
    urgency: codeOf(fieldsAt(extensionOf(resource, 'extension-levelOfServiceCode'), 'valueCodeableConcept')),
    related: relatedClaims(resource),
    encounters: encountersOf(resource),
  };
  describeCoverage(resource, coverage, payload);
  describeServices(resource, context, payload);
  describeDiagnoses(resource, context, payload);
  describeProviders(resource, context, payload);
  describeAuthorizations(resource, payload);
  describeAttachments(resource, payload, context.documents);
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

/** The earlier claim for the same services that this one replaces. */
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

/** A certification type shared by all items decides; change marks make the request a revision. */
function requestType(resource: Fields, cancelled: boolean): string {
  if (cancelled) return 'authorization_cancellation';
  // Da Vinci PAS: an inquiry asks for the decision on an earlier request, and requests nothing.
  if (textsAt(resource, 'meta', 'profile').some((profile) => /claim-?inquiry/i.test(profile)))
    return 'authorization_inquired';
  const items = listAt(resource, 'item');
  const types = unique(
    items.map((item) => codeOf(fieldsAt(extensionOf(item, 'extension-certificationType'), 'valueCodeableConcept'))),
  );
  const named = types.length === 1 ? CERTIFICATION_EVENTS.get(types[0] ?? '') : undefined;
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
      relationship: codeOf(one['relationship']),
      reference: textAt(one, 'reference', 'value'),
    }));
}

const encountersOf = (resource: Fields): string[] =>
  unique(
    textsIn(
      listAt(resource, 'item').flatMap((item) => listAt(item, 'encounter')),
      'reference',
    ),
  ).slice(0, 50);

const isStated = (fields: object): boolean => Object.keys(fields).length > 0;

/** Documents that support a claim, like PWK in X12, with the control number that links them. */
function describeAttachments(resource: Fields, payload: Record<string, unknown>, documents: AttachedDocument[]): void {
  const attachments: Record<string, unknown>[] = [];
  for (const info of listAt(resource, 'supportingInfo').slice(0, 100)) {
    const about = extensionOf(info, 'extension-documentInformation');
    const reference = textAt(info, 'valueReference', 'reference');
    const isDocument = /(?:^|\/)DocumentReference\//.test(reference);
    const content = describeAttachment(fieldsAt(info, 'valueAttachment'), documents);
    if (!isStated(about) && !isStated(content) && !isDocument) continue;
    attachments.push({
      report_type: codeOf(fieldsAt(extensionOf(about, 'reportTypeCode'), 'valueCodeableConcept')),
      transmission: codeOf(fieldsAt(extensionOf(about, 'transmissionMethod'), 'valueCodeableConcept')),
      control_number: textAt(extensionOf(about, 'controlNumber'), 'valueString'),
      document: isDocument ? reference : '',
      content: isStated(content) ? content : undefined,
    });
  }
  payload['attachments'] = attachments;
}
