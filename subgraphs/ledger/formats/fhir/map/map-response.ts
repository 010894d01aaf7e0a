import { byCode } from '../../values/codes.js';
import { compact, filled, unique } from '../../values/payload.js';
import { booleanAt, type Fields, fieldsAt, listAt, numberAt, textAt } from '../json/objects.js';
import { describeAdjustments, describeLineAmounts, settledOf } from './adjudications.js';
import {
  describeAuthorizations,
  describeDiagnoses,
  describeProviders,
  describeServices,
  describeWho,
  servicePeriod,
} from './claim-parts.js';
import { codeOf, extensionOf, identifierValues, textsIn } from './codes.js';
import type { Mapped, MappingContext } from './context.js';
import { describeCoverage } from './coverage.js';
import { describeIdentifiers, describeParty, describePerson, identityOf, jurisdictionOf } from './identity.js';
import { dayOf, periodIn, periodOf } from './moments.js';
import { actionsOf, decisionInWords, reviewOf } from './review-action.js';

const RESPONSE_TYPES = byCode({ authorization_decided: 'preauthorization', claim_estimated: 'predetermination' });

/** Maps ClaimResponse and ExplanationOfBenefit: the decision on a claim or an authorization, by `use`. */
export function mapResponse(resource: Fields, context: MappingContext): Mapped {
  const { memberId, coverage, who } = describeWho(resource, context);
  const use = textAt(resource, 'use');
  const isAuthorization = use === 'preauthorization';
  const payload: Record<string, unknown> = {
    claim_kind: codeOf(resource['type']),
    use,
    status: textAt(resource, 'status'),
    processing_outcome: textAt(resource, 'outcome'),
    disposition: textAt(resource, 'disposition'),
    ...who,
    requestor: describeParty(fieldsAt(resource, 'requestor'), context.references),
    service_period: servicePeriod(resource),
    rationale: rationaleOf(resource),
    human_reviewed: humanReviewed(resource),
    errors: errorsOf(resource),
  };
  describeClaimNumbers(resource, payload);
  describeCoverage(resource, coverage, payload);
  describeResponseLines(resource, context, describeServices(resource, context, payload));
  describeDiagnoses(resource, context, payload);
  describeProviders(resource, context, payload);
  describeAuthorizations(resource, payload);
  describeAdjustments(resource, context, payload);
  const outcome = isAuthorization
    ? decidedOutcome(resource, context, payload)
    : settledOutcome(resource, use, context, payload);
  return {
    family: isAuthorization ? 'prior_authorization' : 'remittance',
    type: RESPONSE_TYPES.get(use) ?? 'claim_adjudicated',
    outcome: isCancelled(resource) ? 'cancelled' : outcome,
    memberId,
    times: [{ name: 'created', text: textAt(resource, 'created') }],
    payload,
  };
}

const errorsOf = (resource: Fields): string[] => filled(listAt(resource, 'error').map(({ code }) => codeOf(code)));

const isCancelled = (resource: Fields): boolean =>
  ['cancelled', 'entered-in-error'].includes(textAt(resource, 'status'));

/** Decides by the review action, else the disposition's words, else the processing outcome. */
function decidedOutcome(resource: Fields, context: MappingContext, payload: Record<string, unknown>): string {
  const review = reviewOf(resource);
  payload['review_actions'] = review.codes;
  payload['decision_reason'] = review.reasons[0];
  payload['decision_reasons'] = unique(review.reasons);
  payload['trace_numbers'] = identifierValues(resource);
  if (review.decision !== null) return review.decision;
  if (review.unknownCodes) {
    context.warn('REVIEW_ACTION_UNKNOWN', 'a review action code is unknown', 'item.adjudication');
    return 'unknown';
  }
  const worded = decisionInWords(textAt(resource, 'disposition'));
  if (worded !== null) return worded;
  const processing = textAt(resource, 'outcome');
  if (processing === 'queued' || processing === 'partial') return 'pended';
  if (processing === 'error') return 'error';
  const message = 'no review action states the decision: `complete` only means that processing ended';
  context.warn('DECISION_MISSING', message, 'outcome');
  return 'unknown';
}

function settledOutcome(
  resource: Fields,
  use: string,
  context: MappingContext,
  payload: Record<string, unknown>,
): string {
  if (use !== 'claim' && use !== 'predetermination')
    context.warn('USE_UNKNOWN', 'the use of the claim is unknown: it is read as a claim', 'use');
  const { outcome, paid, submitted } = settledOf(resource);
  const { amounts } = context;
  const totals: Record<string, unknown> = {};
  for (const total of listAt(resource, 'total').slice(0, 50)) {
    const code = codeOf(total['category']);
    const amount = amounts.money(total['amount']);
    if (code !== '' && amount !== undefined && !Object.hasOwn(totals, code)) totals[code] = amount;
  }
  payload['amounts'] = compact({
    charge: amounts.decimal(rounded(submitted)),
    paid: amounts.decimal(rounded(paid)),
    totals,
  });
  const payment = listAt(resource, 'payment')[0];
  payload['payment'] = compact({
    amount: amounts.money(payment?.['amount']),
    date: dayOf(textAt(payment, 'date')),
    trace_number: textAt(payment, 'identifier', 'value'),
    currency: textAt(payment, 'amount', 'currency'),
  });
  if (outcome === 'unknown') context.warn('AMOUNTS_MISSING', 'no amount states the payment', 'payment');
  return use === 'predetermination' ? 'estimated' : outcome;
}

/** Rounds a sum of doubles with an error below a millionth of a cent. */
const rounded = (value: number | undefined): number | undefined =>
  value === undefined ? undefined : Number(value.toPrecision(15));

/** The numbers that link a response to its claim, named as in X12 payloads. */
function describeClaimNumbers(resource: Fields, payload: Record<string, unknown>): void {
  const request = fieldsAt(resource, textAt(resource, 'resourceType') === 'ClaimResponse' ? 'request' : 'claim');
  const named = textAt(request, 'identifier', 'value') || idIn(textAt(request, 'reference'));
  payload['claim_id'] = named;
  payload['relates_to'] = textAt(request, 'reference');
  payload['payer_claim_id'] = identifierValues(resource)[0];
}

/** The last part of a reference; the UUID of a `urn:uuid:` name. */
const idIn = (reference: string): string => /([A-Za-z0-9.-]{1,64})$/.exec(reference)?.[1] ?? '';

function describeResponseLines(
  resource: Fields,
  context: MappingContext,
  described: readonly Record<string, unknown>[],
): void {
  const items = listAt(resource, 'item');
  for (const [at, line] of described.entries()) {
    const item = items[at] ?? {};
    line['amounts'] = describeLineAmounts(item, context);
    line['review_actions'] = actionsOf(item).map(({ code }) => code);
    if (item['extension'] === undefined) continue;
    const period = (name: string) => periodIn(fieldsAt(extensionOf(item, name), 'valuePeriod'));
    line['requested_period'] = period('extension-itemRequestedServiceDate');
    line['authorized_period'] = period('extension-itemPreAuthPeriod');
    line['authorization_issued'] = textAt(extensionOf(item, 'extension-itemPreAuthIssueDate'), 'valueDate');
  }
}

/** The payer's text: notes and disposition. */
function rationaleOf(resource: Fields): string {
  return unique([...textsIn(listAt(resource, 'processNote'), 'text'), ...textsIn([resource], 'disposition')])
    .join('\n')
    .slice(0, 100_000);
}

/** Da Vinci PAS: whether a person reviewed the decision. */
function humanReviewed(resource: Fields): boolean | undefined {
  const reviewer = extensionOf(resource, 'extension-claimResponseReviewer');
  return booleanAt(extensionOf(reviewer, 'wasHumanReviewedFlag'), 'valueBoolean');
}

/** Maps CoverageEligibilityResponse: whether the coverage is in force. */
export function mapEligibility(resource: Fields, context: MappingContext): Mapped {
  const { memberId, memberBasis, patient, coverage } = identityOf(resource, 'patient', context);
  const insurance = listAt(resource, 'insurance');
  const payload: Record<string, unknown> = {
    status: textAt(resource, 'status'),
    processing_outcome: textAt(resource, 'outcome'),
    disposition: textAt(resource, 'disposition'),
    identifiers: describeIdentifiers(resource),
    jurisdiction: jurisdictionOf(patient),
    patient: describePerson(patient),
    payer: describeParty(fieldsAt(resource, 'insurer'), context.references),
    member_basis: memberBasis,
    relates_to: textAt(resource, 'request', 'reference'),
    rationale: textAt(resource, 'disposition'),
    errors: errorsOf(resource),
    benefits: insurance
      .flatMap((one) => listAt(one, 'item'))
      .slice(0, 200)
      .map((item) => describeBenefit(item, context)),
    service_period: periodOf(
      textAt(resource, 'servicedDate') || textAt(resource, 'servicedPeriod', 'start'),
      textAt(resource, 'servicedPeriod', 'end'),
    ),
  };
  describeCoverage(resource, coverage, payload);
  describeAdjustments(resource, context, payload);
  const outcome = eligibilityOutcome(resource, insurance);
  if (outcome === 'unknown')
    context.warn('DECISION_MISSING', 'no element states whether the coverage is in force', 'insurance.inforce');
  const times = [{ name: 'created', text: textAt(resource, 'created') }];
  return { family: 'eligibility', type: 'eligibility_reported', outcome, memberId, times, payload };
}

function eligibilityOutcome(resource: Fields, insurance: readonly Fields[]): string {
  const processing = textAt(resource, 'outcome');
  if (isCancelled(resource)) return 'cancelled';
  if (processing === 'error') return 'error';
  if (processing === 'queued') return 'pended';
  const stated = insurance.map((one) => booleanAt(one, 'inforce')).filter((one) => one !== undefined);
  if (stated.length > 0) return stated.includes(true) ? 'active' : 'inactive';
  const words = textAt(resource, 'disposition');
  if (NOT_COVERED.test(words)) return 'inactive';
  return /\bin[- ]?force|\b(?:active|eligible|covered)\b/i.test(words) ? 'active' : 'unknown';
}

const NOT_COVERED =
  /\bnot (?:currently )?(?:in[- ]?force|active|eligible|covered)|\b(?:inactive|terminated|lapsed|ineligible)\b/i;

function describeBenefit(item: Fields, { amounts }: MappingContext): Record<string, unknown> {
  return compact({
    category: codeOf(item['category']),
    name: textAt(item, 'name'),
    network: codeOf(item['network']),
    unit: codeOf(item['unit']),
    term: codeOf(item['term']),
    excluded: booleanAt(item, 'excluded'),
    authorization_required: booleanAt(item, 'authorizationRequired'),
    benefits: listAt(item, 'benefit')
      .slice(0, 20)
      .map((one) =>
        compact({
          type: codeOf(one['type']),
          allowed: amounts.money(one['allowedMoney']) ?? amounts.plain(numberAt(one, 'allowedUnsignedInt')),
          used: amounts.money(one['usedMoney']) ?? amounts.plain(numberAt(one, 'usedUnsignedInt')),
        }),
      ),
  });
}
