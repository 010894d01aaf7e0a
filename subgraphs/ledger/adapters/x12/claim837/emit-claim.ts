import type { Part } from '../../adapter.js';
import type { EffectiveTime } from '../effective-time.js';
import { memberMissing, sourceRecordId } from '../item-state.js';
import type { Party } from '../parties.js';
import type { TransactionContext, TransactionHeader } from '../transaction-context.js';
import type { ClaimHeader, ClaimKind, ClaimState } from './claim-state.js';
import { describeClaim } from './describe-claim.js';

interface ClaimInput {
  claim: ClaimState;
  part: Part;
  header: ClaimHeader;
  time: EffectiveTime;
  declaredKind: ClaimKind | null;
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
  const { claim, part, header, billing, context, time } = input;
  const { sourceSystem } = context.header;
  const kind = kindOf(input);
  if (time.received)
    claim.warnings.push({
      code: 'DATE_MISSING',
      message: 'BHT04 holds no date: the time of receipt is taken',
      segment: 'BHT',
      element: 4,
    });
  const payload = describeClaim(claim, kind, header, billing);
  payload.timestamp_basis = time.basis;
  const memberId = claim.subscriber?.party?.id ?? '';
  const transaction = kind === null ? '837' : transactionByKind[kind];
  const index = context.event({
    envelope: {
      event_family: 'claim',
      event_type: eventType(claim),
      source_system: sourceSystem,
      source_record_id: sourceRecordId(context, claim.ordinal, claim.claimId),
      event_effective_timestamp: time.timestamp,
      ...(memberId !== '' && { member_id: memberId }),
      outcome: 'submitted',
      payload,
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
    memberMissing(context, { index, message, segment: 'CLM', position, part });
  }
  return transaction;
}

function eventType(claim: ClaimState): string {
  if (claim.predetermination) return 'claim_predetermination';
  if (claim.frequency === '7') return 'claim_replaced';
  return claim.frequency === '8' ? 'claim_voided' : 'claim_submitted';
}

/** The kind of claim that ST03 names, else GS08; null when neither is a guide of the 837. */
export function declaredKind(header: TransactionHeader): ClaimKind | null {
  for (const version of [header.st03, header.gs08]) {
    const guide = /X\d{3}/.exec(version)?.[0] ?? '';
    const kind = Object.hasOwn(kindByGuide, guide) ? kindByGuide[guide] : undefined;
    if (kind !== undefined) return kind;
  }
  return null;
}

/** By the lines, which win; else as declared; else by the bill type's qualifier, which only an institutional claim has as A. */
function kindOf({ claim, declaredKind: declared, context }: ClaimInput): ClaimKind | null {
  let actual: ClaimKind | '' = '';
  for (const { kind } of claim.lines) if (actual === '') actual = kind;
  if (actual === '') return declared ?? (claim.placeQualifier === 'A' ? 'institutional' : null);
  if (declared !== null && declared !== actual) {
    const message = 'the service lines are of another kind than ST03 or GS08 says; the lines are believed';
    context.warn({ code: 'KIND_DIFFERS', message, segment: 'GS', element: 8, position: claim.position });
  }
  return actual;
}
