import type { Part } from '../../adapter.js';
import { jurisdictionOf, programOf } from '../codes.js';
import { compact, unique } from '../compact.js';
import { effectiveTime } from '../effective-time.js';
import { formatCents } from '../money.js';
import { describeOrganization, describePerson, type Party, providerRole } from '../parties.js';
import type { TransactionContext } from '../transaction-context.js';
import type { ClaimKind, ClaimState, HealthCode } from './claim-state.js';
import { describeLines, describeOtherPayers, servicePeriod } from './describe-lines.js';
import type { ClaimHeader } from './mapper.js';

interface ClaimInput {
  claim: ClaimState;
  part: Part;
  header: ClaimHeader;
  billing: Party | null;
  context: TransactionContext;
}

/** Implementation guide numbers (the X… of ST03 and GS08) to kind of claim, 005010 and 004010. */
const kindByGuide: Readonly<Record<string, ClaimKind>> = {
  X222: 'professional',
  X223: 'institutional',
  X224: 'dental',
  X098: 'professional',
  X096: 'institutional',
  X097: 'dental',
};

const transactionByKind: Readonly<Record<ClaimKind, string>> = {
  professional: '837P',
  institutional: '837I',
  dental: '837D',
};

/** Gives the event of one claim, and an exception when nobody is its member. Returns the transaction's name. */
export function emitClaim(input: ClaimInput): string {
  const { claim, part, header, context } = input;
  const { transactionControl, groupControl, interchangeControl, sourceSystem } = context.header;
  const kind = kindOf(claim, context);
  const time = effectiveTime(
    [{ date: header.date, time: header.time, dateName: 'BHT04', timeName: 'BHT05' }],
    context.options,
  );
  if (time.received)
    claim.warnings.push({
      code: 'DATE_MISSING',
      message: 'BHT04 holds no date: the time of receipt is taken',
      segment: 'BHT',
      element: 4,
    });
  const memberId = claim.subscriber?.party?.id ?? '';
  const transaction = kind === null ? '837' : transactionByKind[kind];
  const index = context.event({
    envelope: {
      event_family: 'claim',
      event_type: eventType(claim),
      source_system: sourceSystem,
      source_record_id: `${interchangeControl}/${groupControl}/${transactionControl}/${claim.ordinal}/${claim.claimId}`,
      event_effective_timestamp: time.timestamp,
      ...(memberId !== '' && { member_id: memberId }),
      outcome: 'submitted',
      payload: compact({ ...describeClaim(input, kind), timestamp_basis: time.basis }),
    },
    transaction,
    part,
    position: claim.position,
    warnings: claim.warnings,
    duplicateKeyOmitsTime: time.received,
  });
  if (memberId === '') {
    const message = 'no NM1*IL of the subscriber loop names a member for this claim';
    const { position } = claim;
    context.exception({
      exceptionKind: 'UNKNOWN_MEMBER',
      code: 'MEMBER_MISSING',
      message,
      index,
      segment: 'CLM',
      position,
      part,
    });
  }
  return transaction;
}

function eventType(claim: ClaimState): string {
  if (claim.predetermination) return 'claim_predetermination';
  if (claim.frequency === '7') return 'claim_replaced';
  return claim.frequency === '8' ? 'claim_voided' : 'claim_submitted';
}

/** By the lines, which win; else ST03, GS08; else the bill type's qualifier, which only an institutional claim has as A. */
function kindOf(claim: ClaimState, context: TransactionContext): ClaimKind | null {
  const { st03, gs08 } = context.header;
  const declared =
    kindByGuide[/X\d{3}/.exec(st03 === '' ? gs08 : st03)?.[0] ?? ''] ??
    kindByGuide[/X\d{3}/.exec(gs08)?.[0] ?? ''] ??
    null;
  const actual = claim.lines.find(({ kind }) => kind !== '')?.kind ?? '';
  if (actual === '') return declared ?? (claim.placeQualifier === 'A' ? 'institutional' : null);
  if (declared !== null && declared !== actual) {
    const message = 'the service lines are of another kind than ST03 or GS08 says; the lines are believed';
    context.warn({ code: 'KIND_DIFFERS', message, segment: 'GS', element: 8, position: claim.position });
  }
  return actual;
}

function describeClaim(input: ClaimInput, kind: ClaimKind | null): Record<string, unknown> {
  const { claim, header, billing } = input;
  const { subscriber, patient } = claim;
  const filingCode = subscriber?.filingCode ?? '';
  const facility = claim.providers.find(({ entity }) => entity === '77' || entity === 'FA');
  return {
    claim_kind: kind ?? 'unknown',
    claim_id: claim.claimId,
    frequency_code: claim.frequency,
    submission: compact({ purpose: header.purpose, type: header.type }),
    procedure_codes: procedureCodes(claim),
    diagnosis_codes: unique(claim.diagnoses.map(({ code }) => code)),
    jurisdiction: jurisdictionOf(
      subscriber?.party?.state ?? '',
      patient?.state ?? '',
      facility?.state ?? '',
      billing?.state ?? '',
      subscriber?.payer?.state ?? '',
    ),
    program: programOf(filingCode),
    program_code: filingCode,
    rationale: claim.notes.join('\n'),
    amounts: compact({ charge: formatCents(claim.chargeCents), patient_paid: claim.patientPaid }),
    ...placeOfClaim(claim),
    diagnoses: claim.diagnoses.map(describeCode),
    procedures: claim.procedures.map(describeCode),
    lines: describeLines(claim.lines),
    service_period: servicePeriod(claim),
    admission: claim.admission,
    discharge: claim.discharge,
    payer: subscriber?.payer ? describeOrganization(subscriber.payer) : undefined,
    payer_responsibility: subscriber?.responsibility,
    group_number: subscriber?.groupNumber,
    subscriber: subscriber?.party
      ? compact({ ...describePerson(subscriber.party), relationship: subscriber.relationship })
      : undefined,
    patient:
      patient === null ? undefined : compact({ ...describePerson(patient), relationship: claim.patientRelationship }),
    providers: describeProviders(billing, claim),
    prior_authorizations: referenced(claim, 'G1'),
    referral_numbers: referenced(claim, '9F'),
    ...controlNumbers(claim),
    attachments: claim.attachments.map(({ reportType, transmission, controlNumber, line }) =>
      compact({ report_type: reportType, transmission, control_number: controlNumber, line }),
    ),
    prior_payers: describeOtherPayers(claim.otherPayers),
  };
}

/** CLM05: a place of service (B), or with the frequency the full bill type (A). */
function placeOfClaim(claim: ClaimState): Record<string, unknown> {
  if (claim.placeQualifier === 'A') return { bill_type: claim.place + claim.frequency };
  return { place_of_service: claim.place };
}

/** The payer's number of an earlier claim: what is replaced or voided when the frequency says so. */
function controlNumbers(claim: ClaimState): Record<string, unknown> {
  const [earlier] = referenced(claim, 'F8');
  const replaces = claim.frequency === '7' || claim.frequency === '8';
  return {
    ...(earlier !== undefined && { [replaces ? 'replaces' : 'payer_claim_id']: earlier }),
    clearinghouse_claim_id: referenced(claim, 'D9')[0],
    medical_record_number: referenced(claim, 'EA')[0],
  };
}

function procedureCodes(claim: ClaimState): string[] {
  const codes = claim.procedures.map(({ code }) => code);
  for (const { procedureCode } of claim.lines) if (procedureCode !== '') codes.push(procedureCode);
  return unique(codes);
}

function describeCode({ qualifier, code, raw }: HealthCode): Record<string, unknown> {
  return { qualifier, code, raw };
}

function describeProviders(billing: Party | null, claim: ClaimState): Record<string, unknown>[] {
  const parties = billing === null ? claim.providers : [billing, ...claim.providers];
  const described: Record<string, unknown>[] = parties.map((party) => describeProvider(party));
  for (const { number, providers } of claim.lines) {
    for (const party of providers) described.push({ ...describeProvider(party), line: number });
  }
  return described;
}

function describeProvider(party: Party): Record<string, unknown> {
  return { role: providerRole(party.entity), ...describeOrganization(party) };
}

function referenced(claim: ClaimState, qualifier: string): string[] {
  const found: string[] = [];
  for (const reference of claim.references) {
    if (reference.qualifier === qualifier && reference.value !== '') found.push(reference.value);
  }
  return unique(found);
}
