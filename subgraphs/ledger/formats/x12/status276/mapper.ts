import { jurisdictionOf } from '../../values/codes.js';
import { spanOf } from '../../values/dates.js';
import { compact, filled, unique } from '../../values/payload.js';
import { ClaimLevelMapper, readClaimDtp, readClaimRef, TracedClaim, TracedLine } from '../claim-level-mapper.js';
import { type Composites, readPaidService } from '../elements.js';
import { bySegment, type Segment, segmentKeys } from '../envelope/segment.js';
import { BHT_DATE, type MappedItem, type SegmentReader } from '../item-mapper.js';
import type { Level } from '../parties.js';

/** Segments that occur only inside a claim. */
const CLAIM_ONLY = segmentKeys('REF AMT DTP SVC');
/** REF01 of a service. */
const LINE_NUMBERS: ReadonlySet<string> = new Set(['FJ', '6R']);
/** Services of one claim; the guide has no limit. */
const LINES = { count: 5_000, code: 'LINES_LEFT_OUT' };

/** One claim that is asked for. */
class AskedClaim extends TracedClaim {
  charge = '';
}

function readRef(claim: AskedClaim, segment: Segment): void {
  const isLine = LINE_NUMBERS.has(segment.at(1));
  const isAfter = claim.charge !== '' || claim.period !== null || claim.line !== null;
  const repeats = !isLine && claim.references.first(segment.value(1)) !== undefined;
  // The numbers of a claim precede its amount, dates and services, each once: the TRN of the next claim was lost.
  if (!isLine && (isAfter || repeats))
    claim.break(segment, 'LOOP_ORDER', 'a number of another claim: a TRN is missing', 1);
  readClaimRef(claim, segment);
}

function readSvc(claim: AskedClaim, segment: Segment, composites: Composites): void {
  claim.line = new TracedLine(readPaidService(segment, composites), claim.amount(segment, 2), segment.value(7));
  claim.keep(claim.lines, claim.line, segment, LINES);
}

/** The segments of a claim that are read, by id. */
const CLAIM_SEGMENTS = bySegment<SegmentReader<AskedClaim>>({
  REF: readRef,
  DTP: readClaimDtp,
  SVC: readSvc,
  AMT: (claim, segment) => {
    if (segment.at(1) === 'T3') claim.charge = claim.amount(segment, 2);
  },
  DMG: (claim, segment) => {
    claim.break(segment, 'LOOP_ORDER', 'another patient is described inside a claim: an HL is missing');
  },
});

/** Maps a 276: one event per claim with a question about its status. */
export class Status276Mapper extends ClaimLevelMapper<AskedClaim> {
  protected readonly facts = {
    family: 'claim',
    noun: 'claim',
    opener: 'TRN',
    cut: 'CLAIM_CUT',
    none: { code: 'NO_CLAIMS', message: 'the transaction has no claim' },
    date: BHT_DATE,
    lacks: 'no NM1*IL or NM1*QC above the claim names a member for it',
  };
  protected readonly readers = CLAIM_SEGMENTS;

  protected claimOf(segment: Segment, level: Level | null): AskedClaim {
    return new AskedClaim(segment, level);
  }

  protected outside(segment: Segment): void {
    const { key } = segment;
    if (CLAIM_ONLY.has(key) && this.isPatient()) this.reportOrphan(segment);
    else this.readDetail(segment);
  }

  protected name(): string {
    return '276';
  }

  protected map(claim: AskedClaim): MappedItem {
    const { references, trace, opener, lines, period } = claim;
    const { memberId, subscriber, patient, people } = this.peopleOf(claim.level);
    const { provider, described } = this.organizationsOf(claim);
    const spans = lines.flatMap((line) => (line.period ? [line.period.from, line.period.to] : []));
    const payload = compact({
      claim_id: references.first('EJ'),
      payer_claim_id: references.first('1K'),
      clearinghouse_claim_id: references.first('D9'),
      trace_numbers: filled([trace]),
      submission_reference: this.header.reference,
      submission_purpose: this.header.purpose,
      bill_type: references.first('BLT'),
      group_number: references.first('6P'),
      prescription_number: references.first('XZ'),
      amounts: compact({ charge: claim.charge }),
      service_period: period ?? spanOf(spans),
      procedure_codes: unique(filled(lines.map(({ service }) => service.procedureCode))),
      lines: lines.map(describeLine),
      jurisdiction: jurisdictionOf(patient, subscriber, provider, this.payer),
      ...people,
      ...described,
    });
    return { type: 'claim_status_asked', outcome: 'submitted', id: trace, memberId, payload, opener };
  }
}

const describeLine = (line: TracedLine, at: number): Record<string, unknown> =>
  compact({
    line: at + 1,
    qualifier: line.service.qualifier,
    procedure_code: line.service.procedureCode,
    modifiers: line.service.modifiers,
    revenue_code: line.service.revenueCode,
    charge: line.charge,
    quantity: line.quantity,
    control_number: line.controlNumber,
    service_period: line.period,
  });
