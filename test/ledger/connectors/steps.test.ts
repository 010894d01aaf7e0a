import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestServer, type TestServer } from '../../support/database.js';
import { ask } from '../exceptions/desk-kit.js';
import { type LedgerProcess, startLedger } from '../ledger-kit.js';

let server: TestServer;
let ledger: LedgerProcess;

beforeAll(async () => {
  server = await startTestServer();
  ledger = await startLedger(await server.connect('connector_steps'));
});
afterAll(async () => {
  await ledger.close();
  await server.stop();
});

const FIELDS = '{ connector_id status revision name }';
const CREATE = `mutation($input: ConnectorInput!) { made: createConnector(input: $input) ${FIELDS} }`;
const UPDATE = `mutation($id: String!, $input: ConnectorPatch!) { made: updateConnector(connector_id: $id, input: $input) ${FIELDS} }`;
const take = async (name: 'enable' | 'disable', id: string, workId?: string) =>
  (
    await ask(
      ledger,
      `mutation($id: String!) { made: ${name}Connector(connector_id: $id) ${FIELDS} }`,
      { id },
      workId === undefined ? {} : { workId },
    )
  ).made;
const created = async (): Promise<string> => {
  const input = { kind: 'FHIR', name: 'A connector', source_system: 'north', config: { transport: 'ENDPOINT' } };
  return (await ask(ledger, CREATE, { input })).made.connector_id;
};

describe('a repeated request with one Idempotency-Key', () => {
  it('enables again a connector that was disabled between, and disables it again', async () => {
    const id = await created();
    expect(await take('enable', id, 'wrk_1')).toMatchObject({ status: 'ENABLED', revision: 2 });
    expect(await take('disable', id, 'wrk_2')).toMatchObject({ status: 'DISABLED', revision: 3 });
    expect(await take('enable', id, 'wrk_1')).toMatchObject({ status: 'ENABLED', revision: 4 });
    expect(await take('disable', id, 'wrk_2')).toMatchObject({ status: 'DISABLED', revision: 5 });
  });

  it('changes a connector once', async () => {
    const id = await created();
    const change = (name: string) => ask(ledger, UPDATE, { id, input: { name } }, { workId: 'wrk_3' });
    expect((await change('Another name')).made).toMatchObject({ name: 'Another name', revision: 2 });
    expect((await change('A third name')).made).toMatchObject({ name: 'Another name', revision: 2 });
  });
});
