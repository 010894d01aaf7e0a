import { describe, expect, it } from '@jest/globals';
import { type Checked, healthOf } from '../../app/health.js';
import { recordingLogger } from '../support/fakes.js';

const part = (name: string, health: Checked['health']): Checked => ({ name, cause: `${name} is away`, health });

describe('a health report', () => {
  it('names the cause of every failed part, and keeps the details in the log', async () => {
    const { logger, lines } = recordingLogger();
    const failing = part('ledger', () => Promise.reject(new TypeError('at 10.0.0.5')));
    const report = await healthOf([part('database', async () => undefined), failing], logger);
    expect(report).toEqual({
      status: 'degraded',
      checks: { database: { status: 'ok' }, ledger: { status: 'failed', cause: 'ledger is away' } },
    });
    expect(lines.join('')).toContain('TypeError');
  });

  it('shows the details of a part, and stays ok when an optional one fails', async () => {
    const { logger } = recordingLogger();
    const anchors = part('anchors', async () => ({ verdict: 'VALID' }));
    const signer: Checked = { ...part('signer', () => Promise.reject(new Error('away'))), isOptional: true };
    expect(await healthOf([anchors, signer], logger)).toEqual({
      status: 'ok',
      checks: {
        anchors: { status: 'ok', details: { verdict: 'VALID' } },
        signer: { status: 'failed', cause: 'signer is away' },
      },
    });
  });

  it('does not wait for a part that hangs, and reports the others', async () => {
    const { logger } = recordingLogger();
    const hanging = part('database', () => new Promise(() => undefined));
    const report = await healthOf([hanging, part('ledger', async () => undefined)], logger, 20);
    expect(report.checks).toEqual({
      database: { status: 'failed', cause: 'database is away' },
      ledger: { status: 'ok' },
    });
  });
});
