import { jurisdictionOf } from '../../values/codes.js';
import { compact, unique } from '../../values/payload.js';
import { type Segment, segmentKey, segmentKeys } from '../envelope/segment.js';
import { BGN_DATE, ItemMapper, type MappedItem } from '../item-mapper.js';
import { describeMember, describeOrganization, identifiersOf, memberNumberOf } from '../parties.js';
import { describeAttachment, INFORMATION_SEGMENTS, PatientInformation } from './attachment.js';

const BGN = segmentKey('BGN');
/** Segments that occur only after BGN. */
const AFTER_BGN = segmentKeys('NM1 LX TRN REF BIN BDS');

/** Maps a 275: one event per transaction, which is about one patient. */
export class Attachment275Mapper extends ItemMapper<PatientInformation> {
  protected readonly facts = {
    family: 'document',
    noun: 'patient information',
    opener: 'BGN',
    cut: 'EVENT_CUT',
    none: { code: 'NO_PATIENT_INFORMATION', message: 'the transaction has no patient information' },
    date: BGN_DATE,
    lacks: 'no NM1*QC or NM1*IL gives the patient a number of the plan',
  };

  segment(segment: Segment): void {
    const { key } = segment;
    if (key === BGN) {
      this.close();
      this.readBgn(segment);
      this.open(new PatientInformation(segment), segment);
    } else if (this.item !== null) INFORMATION_SEGMENTS.get(key)?.(this.item, segment, this.composites);
    else if (AFTER_BGN.has(key)) this.reportOrphan(segment);
  }

  protected name(): string {
    return '275';
  }

  protected map(item: PatientInformation): MappedItem {
    const { references, patient, parties, attachments, period } = item;
    const memberId = memberNumberOf(patient);
    const provider = parties.get('1P') ?? parties.get('85') ?? parties.get('82') ?? null;
    const payer = parties.get('PR') ?? null;
    const submitter = parties.get('41') ?? null;
    const payload = compact({
      claim_id: references.first('EJ'),
      payer_claim_id: references.first('1K'),
      clearinghouse_claim_id: references.first('D9'),
      prior_authorizations: references.all('G1'),
      medical_record_number: references.first('EA'),
      bill_type: references.first('BLT'),
      trace_numbers: unique(attachments.flatMap(({ traces }) => traces)),
      submission_reference: this.header.reference,
      submission_purpose: this.header.purpose,
      service_period: period,
      attachments: attachments.map(describeAttachment),
      jurisdiction: jurisdictionOf(patient, provider, payer),
      patient: patient && describeMember(patient, memberId),
      identifiers: identifiersOf(patient),
      payer: payer && describeOrganization(payer),
      submitter: submitter && describeOrganization(submitter),
      providers: provider && [describeOrganization(provider, 'billing')],
    });
    const id = references.first('EJ') ?? references.first('1K') ?? this.header.reference;
    return { type: 'attachment_received', outcome: 'recorded', id, memberId, payload, documents: item.documents };
  }
}
