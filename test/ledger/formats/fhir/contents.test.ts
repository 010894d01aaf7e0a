import { describe, expect, it } from '@jest/globals';
import type { EventItem } from '../../../../subgraphs/ledger/formats/format-adapter.js';
import { eventsOf, readBody } from './reading.js';

// Documents inside FHIR resources, and submissions of attachments (Da Vinci CDex). Synthetic bodies.

type Resource = Record<string, unknown>;

const subject = { identifier: { value: 'SYN-1' } };
const attachment = (text: string): Resource => ({
  contentType: 'text/plain',
  title: `${text}.txt`,
  data: Buffer.from(text).toString('base64'),
});
const eventsIn = async (body: Resource): Promise<EventItem[]> => eventsOf(await readBody(JSON.stringify(body)));
const textsOf = (event: EventItem | undefined): string[] =>
  (event?.documents ?? []).map(({ bytes }) => Buffer.from(bytes).toString());

describe('documents inside a resource', () => {
  it.each<[string, Resource, Resource]>([
    [
      'a DiagnosticReport',
      { resourceType: 'DiagnosticReport', status: 'final', subject, presentedForm: [attachment('report')] },
      { contents: [{ media_type: 'text/plain', title: 'report.txt', size_bytes: 6 }] },
    ],
    [
      'an answer of a QuestionnaireResponse',
      {
        resourceType: 'QuestionnaireResponse',
        status: 'completed',
        subject,
        item: [{ linkId: '1', answer: [{ valueAttachment: attachment('report') }] }],
      },
      { answers: [{ link_id: '1', attachment: { title: 'report.txt', size_bytes: 6 } }] },
    ],
    [
      'a DocumentReference that a Task contains, also in a contained Bundle',
      {
        resourceType: 'Task',
        status: 'completed',
        intent: 'order',
        for: subject,
        contained: [
          {
            resourceType: 'Bundle',
            id: 'results',
            type: 'searchset',
            entry: [
              {
                resource: {
                  resourceType: 'DocumentReference',
                  status: 'current',
                  content: [{ attachment: attachment('report') }],
                },
              },
            ],
          },
        ],
      },
      { contents: [{ title: 'report.txt', size_bytes: 6 }] },
    ],
  ])('of %s go to the vault', async (_, resource, payload) => {
    const [event] = await eventsIn(resource);
    expect(textsOf(event)).toEqual(['report']);
    expect(event?.envelope).toMatchObject({ member_id: 'SYN-1', payload });
  });
});

describe('a submission of attachments', () => {
  const parameter = (name: string, value: Resource): Resource => ({ name, ...value });
  const member = (value: string, system = 'http://payer.example/members'): Resource =>
    parameter('MemberId', { valueIdentifier: { system, value } });
  const content = (patient: Resource): Resource => ({
    name: 'Attachment',
    part: [
      { name: 'LineItem', valueString: '1' },
      {
        name: 'Content',
        resource: {
          resourceType: 'Observation',
          id: 'o1',
          status: 'final',
          effectiveDateTime: '2026-03-01',
          subject: patient,
        },
      },
    ],
  });
  const submit = (...parameters: Resource[]): Resource => ({ resourceType: 'Parameters', parameter: parameters });
  const display = { display: 'A patient' };

  it('names the member of attachments that name none, before or after it, and its tracking number', async () => {
    const tracking = parameter('TrackingId', { valueIdentifier: { value: 'T-1' } });
    for (const body of [
      submit(tracking, member('M-7'), content(display)),
      submit(content(display), member('M-7'), tracking),
    ]) {
      const [event] = await eventsIn(body);
      expect(event?.envelope).toMatchObject({
        member_id: 'M-7',
        payload: { member_basis: { from: 'Parameters.MemberId' }, submission: { tracking_id: 'T-1' } },
      });
    }
  });

  it('never replaces the member number of an attachment, and a group or another kind of subject has none', async () => {
    const [own] = await eventsIn(submit(member('M-7'), content(subject)));
    expect(own?.envelope.member_id).toBe('SYN-1');
    const [group] = await eventsIn(submit(member('M-7'), content({ reference: 'Group/g1' })));
    expect(group?.envelope.member_id).toBeUndefined();
  });

  it('with two members, or with the number of a person, names none', async () => {
    const [two] = await eventsIn(submit(member('M-7'), member('M-8'), content(display)));
    expect(two?.envelope.member_id).toBeUndefined();
    const social = 'http://hl7.org/fhir/sid/us-ssn';
    const [person] = await eventsIn(submit(member('000-00-0001', social), content(display)));
    expect(person?.envelope.member_id).toBeUndefined();
  });
});

describe('a Condition without a clinical status', () => {
  const condition = {
    resourceType: 'Condition',
    id: 'k',
    subject,
    code: { coding: [{ code: 'M54.16' }] },
    verificationStatus: { coding: [{ code: 'confirmed' }] },
  };

  it.each([
    ['encounter-diagnosis', 'condition.recorded', 'recorded', false],
    ['problem-list-item', 'condition.unknown', 'unknown', true],
  ])('of the category %s is %s: R4 requires a status on the problem list alone', async (code, type, outcome, warns) => {
    const [event] = await eventsIn({ ...condition, category: [{ coding: [{ code }] }] });
    expect(event?.envelope).toMatchObject({ event_type: type, outcome });
    expect(event?.warnings.some((warning) => warning.code === 'STATUS_UNKNOWN')).toBe(warns);
  });
});
