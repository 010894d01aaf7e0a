import { Extensions, ObjectType } from 'type-graphql';
import { CONTRACT, type ContractExtension } from '../../../../shared/graph/contract-field.js';
import { PayloadAmount, PayloadDay, PayloadList, PayloadNpi, PayloadText, PayloadTexts } from './payload-field.js';

// Typed views of the payload, for the kinds of events that the adapters of docs/formats.md write. On the graph only: REST
// shows the payload as it is.

const GRAPH_ONLY = Extensions({ [CONTRACT]: { parts: true } satisfies ContractExtension });

@ObjectType({ description: 'A provider as a payload names it.' })
@GRAPH_ONLY
class PayloadProvider {
  @PayloadText('role', { description: 'Role in the event.', example: 'billing' })
  role!: string | null;

  @PayloadText('name', { description: 'Name.', example: 'Riverside Clinic' })
  name!: string | null;

  @PayloadNpi('npi', { description: 'National Provider Identifier.', example: '1234567893' })
  npi!: string | null;
}

@ObjectType()
abstract class AnyPayload {
  @PayloadText('jurisdiction', { description: 'Jurisdiction.', example: 'US-CA' })
  jurisdiction!: string | null;

  @PayloadText('program', { description: 'Programme of cover.', example: 'Commercial' })
  program!: string | null;

  @PayloadText('service', { description: 'Service concerned.', example: 'MRI of the knee' })
  service!: string | null;

  @PayloadText('rationale', { description: 'Reason that the sender gave.', example: 'Not documented' })
  rationale!: string | null;

  @PayloadTexts('procedure_codes', { description: 'Procedure codes.', example: ['73721'] })
  procedure_codes!: readonly string[];

  @PayloadTexts('diagnosis_codes', { description: 'Diagnosis codes.', example: ['M25.561'] })
  diagnosis_codes!: readonly string[];

  @PayloadList('providers', () => PayloadProvider, { description: 'Providers.' })
  providers!: readonly PayloadProvider[];
}

@ObjectType()
abstract class BilledPayload extends AnyPayload {
  @PayloadText('claim_id', { description: 'Number of the claim.', example: 'CLM-1001' })
  claim_id!: string | null;

  @PayloadText('payer_claim_id', { description: 'Number that the payer gave to the claim.', example: 'P-77001' })
  payer_claim_id!: string | null;

  @PayloadAmount('amounts.charge', { description: 'Billed amount.', example: '1250.00' })
  charge!: string | null;

  @PayloadDay('service_period.from', { description: 'First day of service.', example: '2026-03-02' })
  service_from!: string | null;

  @PayloadDay('service_period.to', { description: 'Last day of service.', example: '2026-03-04' })
  service_to!: string | null;
}

@ObjectType({ description: 'A line of a claim.' })
@GRAPH_ONLY
class ClaimLine {
  @PayloadText('line', { description: 'Number of the line.', example: '1' })
  line!: string | null;

  @PayloadText('procedure_code', { description: 'Procedure code.', example: '99213' })
  procedure_code!: string | null;

  @PayloadText('revenue_code', { description: 'Revenue code.', example: '0450' })
  revenue_code!: string | null;

  @PayloadAmount('charge', { description: 'Billed amount.', example: '125.00' })
  charge!: string | null;
}

@ObjectType({ description: 'Payload of an event of family `claim`.' })
@GRAPH_ONLY
export class ClaimPayload extends BilledPayload {
  @PayloadText('claim_kind', { description: 'Kind of the claim.', example: 'professional' })
  claim_kind!: string | null;

  @PayloadText('frequency_code', { description: 'Frequency code: `7` replaces, `8` voids a claim.', example: '1' })
  frequency_code!: string | null;

  @PayloadText('place_of_service', { description: 'Place of service.', example: '11' })
  place_of_service!: string | null;

  @PayloadText('bill_type', { description: 'Type of bill.', example: '131' })
  bill_type!: string | null;

  @PayloadTexts('prior_authorizations', { description: 'Numbers of prior authorizations.', example: ['AUTH-2001'] })
  prior_authorizations!: readonly string[];

  @PayloadList('lines', () => ClaimLine, { description: 'Lines.' })
  lines!: readonly ClaimLine[];
}

@ObjectType({ description: 'An adjustment of a claim or of one of its lines.' })
@GRAPH_ONLY
class PayloadAdjustment {
  @PayloadText('group', { description: 'Group: `CO`, `PR`, `OA`, `PI` or `CR`.', example: 'CO' })
  group!: string | null;

  @PayloadText('reason', { description: 'Claim adjustment reason code.', example: '50' })
  reason!: string | null;

  @PayloadAmount('amount', { description: 'Amount.', example: '140.00' })
  amount!: string | null;

  @PayloadText('level', { description: 'Level: `claim` or `line`.', example: 'line' })
  level!: string | null;

  @PayloadText('line', { description: 'Number of the line.', example: '1' })
  line!: string | null;
}

@ObjectType({ description: 'Payload of an event of family `remittance`.' })
@GRAPH_ONLY
export class RemittancePayload extends BilledPayload {
  @PayloadText('status_code', { description: 'Status of the claim (CLP02).', example: '1' })
  status_code!: string | null;

  @PayloadAmount('amounts.paid', { description: 'Paid amount.', example: '1000.00' })
  paid!: string | null;

  @PayloadTexts('carc', { description: 'Claim adjustment reason codes.', example: ['50'] })
  carc!: readonly string[];

  @PayloadTexts('rarc', { description: 'Remittance advice remark codes.', example: ['N130'] })
  rarc!: readonly string[];

  @PayloadList('adjustments', () => PayloadAdjustment, { description: 'Adjustments.' })
  adjustments!: readonly PayloadAdjustment[];

  @PayloadDay('payment.date', { description: 'Day of the payment.', example: '2026-03-20' })
  payment_date!: string | null;
}

@ObjectType({ description: 'Payload of an event of family `prior_authorization`.' })
@GRAPH_ONLY
export class AuthorizationPayload extends AnyPayload {
  @PayloadText('authorization_number', { description: 'Number of the authorization.', example: 'AUTH-2001' })
  authorization_number!: string | null;

  @PayloadTexts('trace_numbers', {
    description: 'Trace numbers, which join request and decision.',
    example: ['111099'],
  })
  trace_numbers!: readonly string[];

  @PayloadText('request_category', { description: 'Category of the request (UM01).', example: 'HS' })
  request_category!: string | null;

  @PayloadText('certification_type', { description: 'Certification type (UM02).', example: 'I' })
  certification_type!: string | null;

  @PayloadText('service_type', { description: 'Service type (UM03).', example: '3' })
  service_type!: string | null;

  @PayloadTexts('review_actions', { description: 'Actions of the review (HCR01).', example: ['A1'] })
  review_actions!: readonly string[];

  @PayloadText('decision_reason', { description: 'Reason of the decision (HCR03).', example: '0V' })
  decision_reason!: string | null;
}

@ObjectType({ description: 'A medication of a prescription message.' })
@GRAPH_ONLY
class PayloadMedication {
  @PayloadText('role', { description: 'Role in the message.', example: 'MedicationPrescribed' })
  role!: string | null;

  @PayloadText('description', { description: 'Name of the drug.', example: 'Atorvastatin 20 MG Oral Tablet' })
  description!: string | null;

  @PayloadText('ndc', { description: 'National Drug Code.', example: '00093505601' })
  ndc!: string | null;

  @PayloadText('quantity', { description: 'Quantity.', example: '30' })
  quantity!: string | null;
}

@ObjectType({ description: 'Payload of an event of family `pharmacy`.' })
@GRAPH_ONLY
export class PharmacyPayload extends AnyPayload {
  @PayloadText('claim_id', { description: 'Number of the prescription or the claim.', example: '0000123' })
  claim_id!: string | null;

  @PayloadText('message_type', { description: 'Type of the message.', example: 'NewRx' })
  message_type!: string | null;

  @PayloadText('prescription.number', { description: 'Number of the prescription.', example: '0000123' })
  prescription_number!: string | null;

  @PayloadText('prescription.days_supply', { description: 'Days of supply.', example: '30' })
  days_supply!: string | null;

  @PayloadDay('date_of_service', { description: 'Day of service.', example: '2026-03-02' })
  date_of_service!: string | null;

  @PayloadTexts('reject_codes', { description: 'NCPDP reject codes.', example: ['75'] })
  reject_codes!: readonly string[];

  @PayloadText('authorization_number', { description: 'Number of the authorization.', example: 'AUTH000001' })
  authorization_number!: string | null;

  @PayloadAmount('amounts.gross_due', { description: 'Gross amount due.', example: '80.70' })
  gross_due!: string | null;

  @PayloadAmount('amounts.total_paid', { description: 'Total that the plan paid.', example: '55.70' })
  total_paid!: string | null;

  @PayloadAmount('amounts.patient_pay', { description: 'Share of the patient.', example: '10.00' })
  patient_pay!: string | null;

  @PayloadList('medications', () => PayloadMedication, { description: 'Medications of a prescription message.' })
  medications!: readonly PayloadMedication[];
}

@ObjectType({ description: 'A result of an observation.' })
@GRAPH_ONLY
class PayloadResult {
  @PayloadText('code', { description: 'Code of the observation.', example: '2345-7' })
  code!: string | null;

  @PayloadText('name', { description: 'Name of the observation.', example: 'Glucose' })
  name!: string | null;

  @PayloadText('value', { description: 'Value.', example: '83' })
  value!: string | null;

  @PayloadText('unit', { description: 'Unit.', example: '/min' })
  unit!: string | null;
}

@ObjectType({ description: 'Payload of an event of family `clinical`.' })
@GRAPH_ONLY
export class ClinicalPayload extends AnyPayload {
  @PayloadText('message_type', { description: 'Type of the HL7 message.', example: 'ORU^R01' })
  message_type!: string | null;

  @PayloadText('resource_type', { description: 'Type of the FHIR resource.', example: 'Observation' })
  resource_type!: string | null;

  @PayloadText('status', { description: 'Status in the source.', example: 'final' })
  status!: string | null;

  @PayloadText('category', { description: 'Category.', example: 'laboratory' })
  category!: string | null;

  @PayloadText('order.placer_number', { description: 'Order number of the placer.', example: 'ORD-10' })
  order_number!: string | null;

  @PayloadList('results', () => PayloadResult, { description: 'Results.' })
  results!: readonly PayloadResult[];
}
