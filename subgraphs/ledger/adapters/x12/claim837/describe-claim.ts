import { jurisdictionOf, programOf } from '../codes.js';
import { compact, unique } from '../compact.js';
import { formatCents } from '../money.js';
import { describeOrganization, describePerson, type Party } from '../parties.js';
import type { ClaimHeader, ClaimKind, ClaimState } from './claim-state.js';
import { describeLines, describeOtherPayers, servicePeriod } from './describe-lines.js';

type Payload = Record<string, unknown>;

/** The payload of a claim. Fields are set one by one, and only when there is something to say: this runs for every claim of a file. */
export function describeClaim(
  claim: ClaimState,
  kind: ClaimKind | null,
  header: ClaimHeader,
  billing: Party | null,
): Payload {
  const payload: Payload = { claim_kind: kind ?? 'unknown', claim_id: claim.claimId };
  if (claim.frequency !== '') payload.frequency_code = claim.frequency;
  if (header.purpose !== '') payload.submission_purpose = header.purpose;
  if (header.type !== '') payload.submission_type = header.type;
  describeCodes(claim, payload);
  describeCoverage(claim, billing, payload);
  if (claim.notes.length > 0) payload.rationale = claim.notes.join('\n');
  payload.amounts = {
    charge: formatCents(claim.chargeCents),
    ...(claim.patientPaid !== '' && { patient_paid: claim.patientPaid }),
  };
  // CLM05: a place of service (B), or with the frequency the full bill type (A).
  if (claim.placeQualifier === 'A') payload.bill_type = claim.place + claim.frequency;
  else if (claim.place !== '') payload.place_of_service = claim.place;
  const lines = describeLines(claim.lines);
  if (lines.length > 0) payload.lines = lines;
  const period = servicePeriod(claim);
  if (period !== undefined) payload.service_period = period;
  if (claim.admission !== '') payload.admission = claim.admission;
  if (claim.discharge !== '') payload.discharge = claim.discharge;
  const providers = describeProviders(billing, claim);
  if (providers.length > 0) payload.providers = providers;
  if (claim.references.length > 0) describeReferences(claim, payload);
  if (claim.attachments.length > 0) payload.attachments = claim.attachments.map(describeAttachment);
  if (claim.otherPayers.length > 0) payload.prior_payers = describeOtherPayers(claim.otherPayers);
  return payload;
}

function describeCodes(claim: ClaimState, payload: Payload): void {
  const { diagnoses, procedures } = claim;
  const codes = procedures.map(({ code }) => code);
  for (const { procedureCode } of claim.lines) if (procedureCode !== '') codes.push(procedureCode);
  if (codes.length > 0) payload.procedure_codes = unique(codes);
  if (diagnoses.length > 0) {
    payload.diagnosis_codes = unique(diagnoses.map(({ code }) => code));
    payload.diagnoses = diagnoses;
  }
  if (procedures.length > 0) payload.procedures = procedures;
}

/** Whose claim it is, under which coverage, and where. */
function describeCoverage(claim: ClaimState, billing: Party | null, payload: Payload): void {
  const { subscriber, patient } = claim;
  const facility = claim.providers.find(({ role }) => role === 'facility');
  const insured = subscriber?.party ?? null;
  const payer = subscriber?.payer ?? null;
  payload.jurisdiction = jurisdictionOf(insured, patient, facility ?? null, billing, payer);
  if (patient !== null) {
    payload.patient = describePerson(patient);
    if (claim.patientRelationship !== '')
      payload.patient = { ...describePerson(patient), relationship: claim.patientRelationship };
  }
  if (subscriber === null) return;
  const program = programOf(subscriber.filingCode);
  if (program !== undefined) {
    payload.program = program;
    payload.program_code = subscriber.filingCode;
  }
  if (payer !== null) payload.payer = describeOrganization(payer);
  if (subscriber.responsibility !== '') payload.payer_responsibility = subscriber.responsibility;
  if (subscriber.groupNumber !== '') payload.group_number = subscriber.groupNumber;
  if (insured === null) return;
  const described = describePerson(insured);
  if (subscriber.relationship !== '') described.relationship = subscriber.relationship;
  payload.subscriber = described;
}

/** REF: authorizations, referrals, and the numbers others gave this claim. */
function describeReferences(claim: ClaimState, payload: Payload): void {
  const authorizations = referenced(claim, 'G1');
  if (authorizations.length > 0) payload.prior_authorizations = authorizations;
  const referrals = referenced(claim, '9F');
  if (referrals.length > 0) payload.referral_numbers = referrals;
  const [earlier] = referenced(claim, 'F8');
  // The payer's number of an earlier claim is what is replaced or voided when the frequency says so.
  const replaces = claim.frequency === '7' || claim.frequency === '8';
  if (earlier !== undefined) payload[replaces ? 'replaces' : 'payer_claim_id'] = earlier;
  const [clearinghouse] = referenced(claim, 'D9');
  if (clearinghouse !== undefined) payload.clearinghouse_claim_id = clearinghouse;
  const [medicalRecord] = referenced(claim, 'EA');
  if (medicalRecord !== undefined) payload.medical_record_number = medicalRecord;
}

function describeProviders(billing: Party | null, claim: ClaimState): Payload[] {
  const described = billing === null ? [] : [describeProvider(billing)];
  for (const party of claim.providers) described.push(describeProvider(party));
  for (const { number, providers } of claim.lines) {
    for (const party of providers) described.push({ ...describeProvider(party), line: number });
  }
  return described;
}

function describeProvider(party: Party): Payload {
  return describeOrganization(party, party.role);
}

function describeAttachment({
  reportType,
  transmission,
  controlNumber,
  line,
}: ClaimState['attachments'][number]): Payload {
  return compact({ report_type: reportType, transmission, control_number: controlNumber, line });
}

function referenced(claim: ClaimState, qualifier: string): string[] {
  const found: string[] = [];
  for (const reference of claim.references) {
    if (reference.qualifier === qualifier && reference.value !== '') found.push(reference.value);
  }
  return unique(found);
}
