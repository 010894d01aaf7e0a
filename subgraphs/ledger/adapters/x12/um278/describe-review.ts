import { jurisdictionOf } from '../codes.js';
import { compact, unique } from '../compact.js';
import type { Period } from '../dates.js';
import { describeOrganization, describePerson, type Party } from '../parties.js';
import { partOutcome } from './outcome.js';
import type { ReviewEvent, ReviewHeader, ReviewPart } from './review-state.js';

interface Patients {
  subscriber: Party | null;
  patient: Party | null;
}

/** The payload of a patient event. */
export function describeReview(
  event: ReviewEvent,
  header: ReviewHeader,
  { subscriber, patient }: Patients,
): Record<string, unknown> {
  const parts: readonly ReviewPart[] = [event, ...event.services];
  const { payer, requester } = header;
  const providers = event.services.flatMap((service, at) =>
    service.providers.map((party) => ({ ...describeOrganization(party, party.role), line: at + 1 })),
  );
  return compact({
    ...describeNumbers(parts, header),
    ...describeDecision(parts),
    ...describeAsked(event),
    ...describeDates(event),
    procedure_codes: unique(
      [...event.procedures.map(({ code }) => code), ...parts.map((part) => part.procedureCode)].filter(Boolean),
    ),
    procedures: event.procedures,
    diagnosis_codes: unique(event.diagnoses.map(({ code }) => code)),
    diagnoses: event.diagnoses,
    lines: describeLines(event),
    jurisdiction: jurisdictionOf(patient, subscriber, ...event.providers, requester, payer),
    rationale: parts.flatMap(({ notes }) => notes).join('\n'),
    attachments: parts
      .flatMap(({ attachments }) => attachments)
      .map(({ reportType, transmission, controlNumber }) =>
        compact({ report_type: reportType, transmission, control_number: controlNumber }),
      ),
    subscriber: subscriber === null ? undefined : describePerson(subscriber),
    patient: patient === null ? undefined : describePerson(patient),
    payer: payer === null ? undefined : describeOrganization(payer),
    requester: requester === null ? undefined : describeOrganization(requester),
    providers: [...event.providers.map((party) => describeOrganization(party, party.role)), ...providers],
  });
}

/** The numbers that join a request, its answer, the claim and its payment. */
function describeNumbers(parts: readonly ReviewPart[], header: ReviewHeader): Record<string, unknown> {
  const referenced = (qualifier: string): string[] =>
    parts.flatMap(({ references }) =>
      references.filter((one) => one.qualifier === qualifier).map(({ value }) => value),
    );
  const numbers = unique([
    ...parts.flatMap(({ decision }) => (decision?.number ? [decision.number] : [])),
    ...referenced('BB'),
  ]);
  const traces = parts.flatMap((part) => part.traces);
  return {
    authorization_number: numbers[0],
    authorization_numbers: numbers.length > 1 ? numbers : undefined,
    administrative_number: referenced('NT')[0],
    trace_numbers: unique(traces.map(({ number }) => number).filter((number) => number !== '')),
    traces: traces.map(({ type, number, originator }) =>
      compact({ kind: type === '1' ? 'own' : 'referenced', number, originator }),
    ),
    submission_purpose: header.purpose,
    submission_reference: header.reference,
  };
}

function describeDecision(parts: readonly ReviewPart[]): Record<string, unknown> {
  const decisions = parts.map(({ decision }) => decision).filter((decision) => decision !== null);
  const rejections = parts.flatMap((part) => part.rejections);
  return {
    action_code: decisions[0]?.action,
    // Not adjustment reasons: they are of a list of their own, and never stand in `carc`.
    decision_reason: unique(
      [...decisions.flatMap(({ reasons }) => reasons), ...rejections.map(({ reason }) => reason)].filter(Boolean),
    ),
    rejections: rejections.map(({ reason, followUp }) => compact({ reason, follow_up: followUp })),
  };
}

/** What was asked for: of the event, else of its first service (004010 has no level for the event). */
function describeAsked(event: ReviewEvent): Record<string, unknown> {
  const review = event.review ?? event.services.find((service) => service.review !== null)?.review ?? null;
  if (review === null) return {};
  const { category, certification, serviceType, place, placeQualifier, urgency } = review;
  return {
    service: serviceType || category,
    service_type: serviceType,
    request_category: category,
    certification_type: certification,
    place_of_service: placeQualifier === 'A' ? undefined : place,
    bill_type: placeQualifier === 'A' ? place : undefined,
    urgency,
  };
}

function describeDates(event: ReviewEvent): Record<string, unknown> {
  const dated = (qualifier: string): Period | undefined =>
    event.dates.get(qualifier) ?? event.services.find(({ dates }) => dates.has(qualifier))?.dates.get(qualifier);
  return {
    service_period: dated('472') ?? dated('AAH'),
    event_period: dated('AAH'),
    admission: dated('435')?.from,
    discharge: dated('096')?.from,
    issued: dated('102')?.from,
    effective_from: dated('007')?.from,
    expires: dated('036')?.to,
  };
}

function describeLines(event: ReviewEvent): Record<string, unknown>[] {
  const own = event.procedureCode !== '' || event.revenueCode !== '' || event.quantity !== '';
  const parts = own ? [event, ...event.services] : event.services;
  return parts.map((part, at) =>
    compact({
      line: at + 1,
      qualifier: part.qualifier,
      procedure_code: part.procedureCode,
      modifiers: part.modifiers,
      revenue_code: part.revenueCode,
      charge: part.charge,
      units: part.units,
      quantity: part.quantity,
      quantity_unit: part.quantityUnit,
      service: part.review === null ? '' : part.review.serviceType || part.review.category,
      outcome: partOutcome(part),
      action_code: part.decision?.action,
      authorization_number: part.decision?.number,
      decision_reason: part.decision?.reasons,
      service_period: part.dates.get('472'),
    }),
  );
}
