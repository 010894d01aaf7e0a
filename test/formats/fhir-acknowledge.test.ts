import { describe, expect, test } from '@jest/globals';
import type { AdapterItem, ItemOutcome } from '../../subgraphs/ledger/adapters/adapter.js';
import { FhirAcknowledger } from '../../subgraphs/ledger/adapters/fhir/acknowledge.js';
import { fixture, readBody } from './fhir-reading.js';

const about = { nowIso: '2026-04-01T12:00:00.000Z', controlNumber: '1' };

function answerTo(
  items: readonly AdapterItem[],
  outcome: ItemOutcome = { status: 'ACCEPTED' },
): Record<string, unknown> {
  const acknowledger = new FhirAcknowledger();
  for (const item of items) acknowledger.take(item, item.kind === 'event' ? outcome : undefined);
  const answer = acknowledger.finish(about);
  expect(answer).toMatchObject({ format: 'fhir', mediaType: 'application/fhir+json' });
  return JSON.parse(answer?.text ?? '') as Record<string, unknown>;
}

describe('the answer to a transaction', () => {
  test('is a transaction-response with an answer for each entry, in order', async () => {
    const answer = answerTo(await readBody(fixture('transaction.json')));
    expect(answer).toMatchObject({
      resourceType: 'Bundle',
      type: 'transaction-response',
      entry: [
        { response: { status: '201 Created' } },
        { response: { status: '201 Created' } },
        {
          response: {
            status: '422 Unprocessable Entity',
            outcome: {
              resourceType: 'OperationOutcome',
              issue: [
                {
                  severity: 'error',
                  code: 'not-supported',
                  diagnostics: 'UNSUPPORTED_TRANSACTION',
                  expression: ['Bundle.entry[2]'],
                },
              ],
            },
          },
        },
        { response: { status: '204 No Content' } },
      ],
    });
  });

  test('tells what was taken before, and what the service refused', async () => {
    const items = await readBody(fixture('transaction.json'));
    expect(answerTo(items, { status: 'DUPLICATE' })).toMatchObject({
      entry: [{ response: { status: '200 OK' } }, {}, {}, {}],
    });
    const refused = answerTo(items, { status: 'REJECTED', code: 'PAYLOAD_TOO_LARGE', message: 'too large' });
    expect(refused).toMatchObject({
      entry: [
        {
          response: {
            status: '400 Bad Request',
            outcome: { issue: [{ code: 'too-long', details: { text: 'too large' } }, {}, {}] },
          },
        },
        {},
        {},
        {},
      ],
    });
  });
});

describe('the answer to anything else', () => {
  test('is an OperationOutcome of what was refused, odd and taken', async () => {
    const body = `${fixture('lines.ndjson').toString()}{"resourceType":"Claim"\n`;
    expect(answerTo(await readBody(body))).toMatchObject({
      resourceType: 'OperationOutcome',
      issue: expect.arrayContaining([
        expect.objectContaining({ severity: 'error', code: 'incomplete', diagnostics: 'RESOURCE_CUT' }),
        expect.objectContaining({
          severity: 'warning',
          code: 'value',
          diagnostics: 'DATE_UNREADABLE',
          expression: ['ExplanationOfBenefit.created'],
        }),
        expect.objectContaining({
          severity: 'information',
          details: { text: '3 events accepted, 0 taken before, 1 parts refused' },
        }),
      ]),
    });
  });

  test('stays within its bounds, and tells errors where much was told before them', async () => {
    const lines = `${'{"resourceType":"Patient","id":"p"}\n'.repeat(1_500)}{"resourceType":"Foo"}\n`;
    const { issue } = answerTo(await readBody(lines)) as { issue: { severity: string }[] };
    expect(issue).toHaveLength(1_001);
    expect(issue.filter(({ severity }) => severity === 'error')).toHaveLength(1);
  });

  test('names no value of the body', async () => {
    const body =
      '{"resourceType":"SecretName","id":"SecretId"}\n{"resourceType":"Claim","id":"a","use":"SecretUse","created":"SecretDay","status":"SecretStatus"}\n';
    for (const strict of [true, false])
      expect(JSON.stringify(answerTo(await readBody(body, { strict })))).not.toContain('Secret');
  });
});
