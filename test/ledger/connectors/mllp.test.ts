import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freshTenant, type Http } from '../../support/http.js';
import { selfSigned } from '../../support/self-signed.js';
import { startWholeService, type WholeService } from '../../support/whole-service.js';
import {
  admission,
  eventsOf,
  inFrame,
  makeConnector,
  read,
  runConnector,
  Sender,
  until,
  verdictOf,
} from './connectors-kit.js';

let service: WholeService;
let http: Http;

beforeAll(async () => {
  service = await startWholeService({ SERVICE_MLLP_PORTS: '0' });
  ({ http } = await freshTenant(service.operator, ['admin']));
});

afterAll(() => service.stop());

const mllp = (config: Readonly<Record<string, unknown>> = {}, over: Readonly<Record<string, unknown>> = {}) =>
  runConnector(http, { kind: 'HL7V2', config: { transport: 'MLLP', ...config }, ...over });

describe('an HL7 v2 listener', () => {
  it('answers each message after it is in the ledger and counts it', async () => {
    const { connector_id, listening } = await mllp({}, { source_system: 'hospital-one' });
    const sender = await Sender.to(listening.port);
    for (const n of [1, 2, 3]) expect(verdictOf((await sender.send(admission(n))) ?? '')).toBe(`AA ${n}`);
    const events = await eventsOf(http, 'source_system=hospital-one');
    expect(events.map((event) => event.source_record_id).sort()).toEqual(['1', '2', '3']);
    // The bytes of an event are the message as it was sent, without its frame.
    const raw = await http.get(`/v1/events/${events[0].event_id}/raw`);
    expect(raw.text.trimEnd()).toBe(admission(events[0].source_record_id).trimEnd());
    const told = await until(async () => {
      const found = await read(http, connector_id);
      return found.counters.messages === 3 && found;
    }, 'three messages counted');
    expect(told).toMatchObject({ counters: { accepted: 3, duplicated: 0, rejected: 0 }, last_error: null });
    expect(told.last_message_at).not.toBeNull();
    await sender.end();
  });

  it('reports the same bytes on any connection as the same event', async () => {
    const { listening } = await mllp({}, { source_system: 'hospital-again' });
    const senders = await Promise.all([1, 2, 3].map(() => Sender.to(listening.port)));
    const answers = await Promise.all(senders.map((sender) => sender.send(admission('SAME-1'))));
    expect(answers.map((answer) => verdictOf(answer ?? ''))).toEqual(Array(3).fill('AA SAME-1'));
    expect(await eventsOf(http, 'source_system=hospital-again')).toHaveLength(1);
    await Promise.all(senders.map((sender) => sender.end()));
  });

  it('answers many connections, each in message order', async () => {
    const { listening } = await mllp({ max_in_flight: 2 }, { source_system: 'hospital-many' });
    const senders = await Promise.all(Array.from({ length: 8 }, () => Sender.to(listening.port)));
    await Promise.all(
      senders.map(async (sender, s) => {
        const ids = Array.from({ length: 10 }, (_, n) => `M${s}-${n}`);
        // All at once: the socket is paused while two of them wait.
        sender.socket.write(Buffer.concat(ids.map((id) => inFrame(admission(id)))));
        for (const id of ids) expect(verdictOf((await sender.answer()) ?? '')).toBe(`AA ${id}`);
        await sender.end();
      }),
    );
    expect(await eventsOf(http, 'source_system=hospital-many')).toHaveLength(80);
  });

  it('answers the messages sent before the sender ended its side', async () => {
    const { listening } = await mllp({}, { source_system: 'hospital-bytes' });
    const sender = await Sender.to(listening.port);
    for (const byte of inFrame(admission('BYTES-1'))) sender.socket.write(Buffer.of(byte));
    sender.socket.end();
    expect(verdictOf((await sender.answer()) ?? '')).toBe('AA BYTES-1');
    await sender.closed;
  });

  it.each<[string, Buffer]>([
    ['text of no message', Buffer.from('HELLO|WORLD\r')],
    ['nothing', Buffer.alloc(0)],
    ['UTF-16', Buffer.from(admission('WIDE'), 'utf16le')],
  ])('rejects %s with AR and an exception, and continues', async (_what, bytes) => {
    const { connector_id, listening } = await mllp({}, { source_system: 'hospital-garbage' });
    const sender = await Sender.to(listening.port);
    const before = (await http.get('/v1/exceptions?kind=PARSE_FAILED&limit=500')).json.items.length;
    expect(verdictOf((await sender.send(bytes)) ?? '').trim()).toBe('AR');
    expect(verdictOf((await sender.send(admission('AFTER'))) ?? '')).toBe('AA AFTER');
    const exceptions = (await http.get('/v1/exceptions?kind=PARSE_FAILED&limit=500')).json.items;
    expect(exceptions.length).toBe(before + 1);
    expect(exceptions[0].detail).toMatchObject({ code: 'NOT_HL7', connector_id, byte_offset: 0 });
    const told = await until(async () => (await read(http, connector_id)).last_error, 'its trouble');
    expect(told).toMatchObject({ code: 'NOT_HL7', byte_offset: 0 });
    await sender.end();
  });

  it('rejects an unreadable message with its position and no personal data in the last error', async () => {
    const { connector_id, listening } = await mllp({ strict: true }, { source_system: 'hospital-faults' });
    const sender = await Sender.to(listening.port);
    const answer = await sender.send(admission('BAD-1').replace('ADT^A01^ADT_A01', 'ZZZ^Z99'));
    expect(verdictOf(answer ?? '')).toMatch(/^A[ER] BAD-1$/);
    const { last_error, counters } = await until(async () => {
      const found = await read(http, connector_id);
      return found.last_error && found;
    }, 'its trouble');
    expect(counters).toMatchObject({ messages: 1, accepted: 0, rejected: 1 });
    expect(JSON.stringify(last_error)).not.toMatch(/SYN|DOE/);
    expect(last_error.byte_offset).toBeGreaterThanOrEqual(0);
    await sender.end();
  });

  it('ends only the connection with an overlong frame or without MLLP', async () => {
    const { connector_id, listening } = await mllp({ max_frame_bytes: 2_048 }, { source_system: 'hospital-limits' });
    const [other, long, http1] = await Promise.all([1, 2, 3].map(() => Sender.to(listening.port)));
    expect(await long?.send(admission('LONG') + 'Z'.repeat(4_000))).toBeNull();
    http1?.socket.write(`GET / HTTP/1.1\r\nx: ${'y'.repeat(2_000)}\r\n\r\n`);
    expect(await http1?.answer()).toBeNull();
    expect(verdictOf((await other?.send(admission('SHORT'))) ?? '')).toBe('AA SHORT');
    const told = await until(async () => {
      const found = await read(http, connector_id);
      return found.counters.unreadable === 2 && found;
    }, 'two refusals');
    expect(['FRAME_TOO_LONG', 'NOT_FRAMED']).toContain(told.last_error.code);
    await other?.end();
  });

  it('stops on disable, listens on the same port after enable, and ends on delete', async () => {
    const { connector_id, listening } = await mllp();
    const sender = await Sender.to(listening.port);
    await http.post(`/v1/connectors/${connector_id}/disable`, {});
    await sender.closed;
    await until(async () => (await read(http, connector_id)).listening === null, 'the end of listening');
    await expect(Sender.to(listening.port)).rejects.toThrow();
    await http.post(`/v1/connectors/${connector_id}/enable`, {});
    const again = await until(async () => (await read(http, connector_id)).listening, 'listening again');
    expect(again.port).toBe(listening.port);
    const late = await Sender.to(again.port);
    await http.call(`/v1/connectors/${connector_id}`, { method: 'DELETE' });
    await late.closed;
    expect((await http.get(`/v1/connectors/${connector_id}`)).status).toBe(404);
  });

  it('uses TLS with a certificate and never shows its key', async () => {
    const { cert, key } = selfSigned(['mllp.test']);
    const made = await mllp({ tls_certificate: cert, tls_private_key: key }, { source_system: 'hospital-tls' });
    expect(made).toMatchObject({ secrets: ['tls_private_key'], listening: { tls: true } });
    expect(JSON.stringify(made)).not.toContain('PRIVATE KEY');
    const sender = await Sender.to(made.listening.port, { ca: cert, servername: 'mllp.test' });
    expect(verdictOf((await sender.send(admission('TLS-1'))) ?? '')).toBe('AA TLS-1');
    await sender.end();
  });

  it('rejects connections from addresses that are not allowed', async () => {
    const { listening } = await mllp({ allowed_addresses: ['192.0.2.0/24'] });
    const sender = await Sender.to(listening.port);
    await sender.closed;
    expect(await sender.answer()).toBeNull();
  });

  it('is in ERROR with a reason while its port is in use, and recovers when the port is free', async () => {
    const first = await mllp({}, { source_system: 'port-one' });
    const second = await makeConnector(http, {
      kind: 'HL7V2',
      config: { transport: 'MLLP', port: first.listening.port },
    });
    await http.post(`/v1/connectors/${second.connector_id}/enable`, {});
    const failed = await until(async () => {
      const found = await read(http, second.connector_id);
      // The state is written first, the time of the next attempt after it.
      return found.status === 'ERROR' && found.retry_at !== null && found;
    }, 'the error');
    expect(failed).toMatchObject({ last_error: { code: 'EADDRINUSE' }, counters: { failures: 1 } });
    const tried = await http.post(`/v1/connectors/${second.connector_id}/test`, {});
    expect(tried.json).toMatchObject({ ok: false, checks: [{ name: 'listen', ok: false }] });
    await http.post(`/v1/connectors/${first.connector_id}/disable`, {});
    await until(async () => {
      const found = await read(http, second.connector_id);
      return found.status === 'ENABLED' && found.listening?.port === first.listening.port;
    }, 'recovery');
  });
});
