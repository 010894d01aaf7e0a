import type { Composites } from '../composites.js';
import { type Segment, segmentKey } from '../segment.js';
import { positionOf } from '../transaction-context.js';
import { type ClaimSegmentReader, claimCents } from './claim-segments.js';
import { type ClaimState, newLine, type ServiceLine } from './claim-state.js';

/** LX opens a service line (2400). */
function readLx(claim: ClaimState): void {
  claim.line = newLine(claim.lines.length + 1);
  claim.lines.push(claim.line);
  claim.otherPayer = null;
  claim.otherLine = null;
  claim.party = null;
}

/** The line that an SV segment speaks of; one whose LX is missing is opened with a warning. */
function openLine(claim: ClaimState, segment: Segment): ServiceLine {
  const { line } = claim;
  if (line !== null && line.kind === '') return line;
  readLx(claim);
  claim.warnings.push({
    code: 'LX_MISSING',
    message: 'a service line has no LX of its own',
    segment: segment.id,
    position: positionOf(segment),
  });
  return claim.line ?? newLine(1);
}

function readSv1(claim: ClaimState, segment: Segment, composites: Composites): void {
  const line = openLine(claim, segment);
  line.kind = 'professional';
  readProcedure(line, segment.value(1), composites);
  line.chargeCents = claimCents(claim, segment, 2);
  line.unit = segment.value(3);
  line.quantity = segment.value(4);
  line.place = segment.value(5);
  const pointers = segment.value(7);
  if (pointers !== '') line.pointers = composites.split(pointers).filter((pointer) => pointer !== '');
}

function readSv2(claim: ClaimState, segment: Segment, composites: Composites): void {
  const line = openLine(claim, segment);
  line.kind = 'institutional';
  line.revenueCode = segment.value(1);
  readProcedure(line, segment.value(2), composites);
  line.chargeCents = claimCents(claim, segment, 3);
  line.unit = segment.value(4);
  line.quantity = segment.value(5);
}

function readSv3(claim: ClaimState, segment: Segment, composites: Composites): void {
  const line = openLine(claim, segment);
  line.kind = 'dental';
  readProcedure(line, segment.value(1), composites);
  line.chargeCents = claimCents(claim, segment, 2);
  line.place = segment.value(3);
  line.quantity = segment.value(6);
}

/** C003: qualifier, code, up to four modifiers, description. */
function readProcedure(line: ServiceLine, composite: string, composites: Composites): void {
  if (composite === '') return;
  const [qualifier = '', code = '', ...rest] = composites.split(composite);
  line.qualifier = qualifier;
  line.procedureCode = code.trim();
  if (rest.length === 0) return;
  line.modifiers = rest.slice(0, 4).filter((modifier) => modifier !== '');
  line.description = rest[4] ?? '';
}

/** LIN and CTP: the drug of the line beside its HCPCS code, where LIN02 is N4 (NDC). */
function readLin(claim: ClaimState, segment: Segment): void {
  if (claim.line !== null && segment.value(2) === 'N4') claim.line.drugCode = segment.value(3);
}

function readCtp(claim: ClaimState, segment: Segment, composites: Composites): void {
  if (claim.line === null) return;
  claim.line.drugQuantity = segment.value(4);
  claim.line.drugUnit = composites.split(segment.value(5))[0] ?? '';
}

/** The segments of a service line that are read, by id. */
export const lineSegments: readonly [number, ClaimSegmentReader][] = Object.entries({
  LX: readLx,
  SV1: readSv1,
  SV2: readSv2,
  SV3: readSv3,
  LIN: readLin,
  CTP: readCtp,
} satisfies Record<string, ClaimSegmentReader>).map(([id, read]) => [segmentKey(id), read]);
