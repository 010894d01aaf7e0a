import { describe, expect, it } from '@jest/globals';
import { FhirAcknowledger } from '../../../../subgraphs/ledger/formats/fhir/acknowledge.js';
import type { AdapterItem, ItemOutcome } from '../../../../subgraphs/ledger/formats/format-adapter.js';
import { fixture, readBody } from './reading.js';

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
  it('is a transaction-response with one answer per entry, in order', async () => {
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

  it('reports duplicates and events that the service rejected', async () => {
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
  it('is an OperationOutcome with errors, warnings and a summary', async () => {
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
          details: { text: '3 events accepted, 0 duplicates, 1 parts rejected' },
        }),
      ]),
    });
  });

  it('stays within its limits and keeps errors before earlier notes', async () => {
    const lines = `${'{"resourceType":"Patient","id":"p"}\n'.repeat(1_500)}{"resourceType":"Foo"}\n`;
    const { issue } = answerTo(await readBody(lines)) as { issue: { severity: string }[] };
    expect(issue).toHaveLength(1_001);
    expect(issue.filter(({ severity }) => severity === 'error')).toHaveLength(1);
  });

  it('contains no value of the body', async () => {
    const body =
      '{"resourceType":"SecretName","id":"SecretId"}\n{"resourceType":"Claim","id":"a","use":"SecretUse","created":"SecretDay","status":"SecretStatus"}\n';
    for (const strict of [true, false])
      expect(JSON.stringify(answerTo(await readBody(body, { strict })))).not.toContain('Secret');
  });
});
