import { describe, expect, it } from '@jest/globals';
import type { CodeTables } from '../../../subgraphs/advocacy/codes/index.js';
import { codesInForce } from '../../../subgraphs/advocacy/explain/codes-in-force.js';
import { explain } from '../../../subgraphs/advocacy/explain/domain/explanation.js';
import { data, eventOf } from './explain-kit.js';

/** A table of CARC with one code, valid to the last day of June 2026. */
const tables: Pick<CodeTables, 'find'> = {
  find: async (system, code) =>
    system === 'CARC' && (code === '15' || code === '50')
      ? {
          ...{ system, code, edition: 'e', description: 'x', is_valid: true },
          effective_to: new Date('2026-07-01'),
        }
      : null,
};
const denied = (code: string, day: string) =>
  eventOf({ adjustments: [{ group: 'CO', reason: code, amount: '10.00' }], service_period: { from: day, to: day } });

/** Which of the words about a retired code the explanation has. */
async function meaningOf(code: string, day: string): Promise<string> {
  const event = denied(code, day);
  const inForce = await codesInForce(data, tables, event);
  return explain(inForce, { event, rules: [], language: 'en' }).reasons[0]?.meaning ?? '';
}

describe('reason codes of an imported table with days of validity', () => {
  it('are in use up to their last day by the day of service, and retired after it', async () => {
    expect(await meaningOf('15', '2026-06-30')).not.toContain('197');
    expect(await meaningOf('15', '2026-07-01')).toContain('197');
    const [before, after] = [await meaningOf('50', '2026-06-30'), await meaningOf('50', '2026-07-01')];
    expect(after.startsWith(before)).toBe(true);
    expect(after.length).toBeGreaterThan(before.length);
  });

  it('leave the data as it is for codes without a last day', async () => {
    expect(await codesInForce(data, tables, denied('45', '2026-06-30'))).toBe(data);
  });
});
