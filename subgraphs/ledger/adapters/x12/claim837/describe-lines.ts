import { describeAdjustment } from '../adjustments.js';
import { compact } from '../compact.js';
import type { Period } from '../dates.js';
import { formatCents } from '../money.js';
import { describeOrganization } from '../parties.js';
import type { ClaimState, OtherPayer, OtherPayerLine, ServiceLine } from './claim-state.js';

/** The service lines of a claim in its payload; an LX without a service says nothing. */
export function describeLines(lines: readonly ServiceLine[]): Record<string, unknown>[] {
  const described: Record<string, unknown>[] = [];
  for (const line of lines) if (line.kind !== '') described.push(describeLine(line));
  return described;
}

function describeLine(line: ServiceLine): Record<string, unknown> {
  const described: Record<string, unknown> = { line: line.number };
  if (line.qualifier !== '') described.qualifier = line.qualifier;
  if (line.procedureCode !== '') described.procedure_code = line.procedureCode;
  if (line.modifiers.length > 0) described.modifiers = line.modifiers;
  if (line.description !== '') described.description = line.description;
  if (line.revenueCode !== '') described.revenue_code = line.revenueCode;
  if (line.chargeCents !== null) described.charge = formatCents(line.chargeCents);
  if (line.unit !== '') described.unit = line.unit;
  if (line.quantity !== '') described.quantity = line.quantity;
  if (line.place !== '') described.place_of_service = line.place;
  if (line.pointers.length > 0) described.diagnosis_pointers = line.pointers;
  if (line.period !== null) described.service_period = line.period;
  if (line.controlNumber !== '') described.control_number = line.controlNumber;
  if (line.drugCode !== '')
    described.drug = compact({ ndc: line.drugCode, quantity: line.drugQuantity, unit: line.drugUnit });
  return described;
}

/** The claim's own period (DTP 434, or 472 before any line), else the first to the last day of its lines. */
export function servicePeriod(claim: ClaimState): Period | undefined {
  if (claim.statement !== null) return claim.statement;
  let from = '';
  let to = '';
  for (const { period } of claim.lines) {
    if (period === null) continue;
    if (from === '' || period.from < from) from = period.from;
    if (period.to > to) to = period.to;
  }
  return from === '' ? undefined : { from, to };
}

/** What other payers decided before: in a field of its own, for it is no decision of this claim's payer. */
export function describeOtherPayers(otherPayers: readonly OtherPayer[]): Record<string, unknown>[] {
  return otherPayers.map((other) =>
    compact({
      responsibility: other.responsibility,
      program_code: other.filingCode,
      payer: other.payer === null ? undefined : describeOrganization(other.payer),
      member_id: other.insured?.id,
      paid: other.paidCents === null ? undefined : formatCents(other.paidCents),
      adjustments: other.adjustments.map((adjustment) => describeAdjustment(adjustment)),
      lines: other.lines.map(describeOtherLine),
    }),
  );
}

function describeOtherLine(line: OtherPayerLine): Record<string, unknown> {
  return compact({
    line: line.line,
    procedure_code: line.procedureCode,
    paid: line.paid,
    adjustments: line.adjustments.map((adjustment) => describeAdjustment(adjustment)),
  });
}
