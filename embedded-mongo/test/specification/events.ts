import type { MongoClient, MongoClientEvents } from 'mongodb';
import type { ExpectedEvents, Json } from './format.js';
import { type Entities, mismatch } from './match.js';

interface Observed {
  readonly kind: string;
  readonly event: Json;
}

type EventType = 'command' | 'cmap' | 'sdam';

/** Commands of the driver itself. No test expects their events. */
const OWN_COMMANDS = [
  'hello',
  'ismaster',
  'isMaster',
  'saslStart',
  'saslContinue',
  'configureFailPoint',
  'endSessions',
];
const KINDS: Readonly<Record<EventType, readonly string[]>> = {
  command: ['commandStarted', 'commandSucceeded', 'commandFailed'],
  cmap: [
    'poolCreated',
    'poolReady',
    'poolCleared',
    'poolClosed',
    'connectionCreated',
    'connectionReady',
    'connectionClosed',
    'connectionCheckOutStarted',
    'connectionCheckOutFailed',
    'connectionCheckedOut',
    'connectionCheckedIn',
  ],
  sdam: [
    'serverDescriptionChanged',
    'topologyDescriptionChanged',
    'topologyOpening',
    'topologyClosed',
    'serverHeartbeatStarted',
    'serverHeartbeatSucceeded',
    'serverHeartbeatFailed',
  ],
};
const WAIT_MS = 20_000;
const POLL_MS = 10;

/** The events of one client that its test asked for. */
export class EventLog {
  readonly #observed: Observed[] = [];
  #checkedOut = 0;

  constructor(client: MongoClient, kinds: readonly string[], ignoredCommands: readonly string[]) {
    const ignored = [...OWN_COMMANDS, ...ignoredCommands];
    for (const kind of kinds) {
      const name = kind.replace(/Event$/, '');
      if (!Object.values(KINDS).some((names) => names.includes(name)))
        throw new Error(`the event ${kind} is not known`);
      // The names of the format are the driver's, but for pools.
      const listened = name.replace(/^pool/, 'connectionPool') as keyof MongoClientEvents;
      client.on(listened, (event: unknown) => {
        const fields = event as Json;
        if (!ignored.includes(String(fields['commandName']))) this.#observed.push({ kind, event: fields });
      });
    }
    client.on('connectionCheckedOut', () => (this.#checkedOut += 1));
    client.on('connectionCheckedIn', () => (this.#checkedOut -= 1));
  }

  get checkedOut(): number {
    return this.#checkedOut;
  }

  /** The last commands that the client sent. */
  lastCommands(count: number): Json[] {
    return this.#of('command')
      .filter(({ kind }) => kind === 'commandStartedEvent')
      .slice(-count)
      .map(({ event }) => event['command'] as Json);
  }

  count(expected: Json, entities: Entities): number {
    return this.#observed.filter((one) => eventDiffers(expected, one, entities) === undefined).length;
  }

  async wait(expected: Json, count: number, entities: Entities): Promise<void> {
    for (let waited = 0; this.count(expected, entities) < count; waited += POLL_MS) {
      if (waited > WAIT_MS) throw new Error(`${count} of ${Object.keys(expected)} did not come`);
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  }

  check({ events, ignoreExtraEvents, eventType = 'command' }: ExpectedEvents, entities: Entities): void {
    const observed = this.#of(eventType);
    if (ignoreExtraEvents ? observed.length < events.length : observed.length !== events.length) {
      const kinds = observed.map(({ kind, event }) => event['commandName'] ?? kind);
      throw new Error(`expected ${events.length} events, found ${kinds.join(', ') || 'none'}`);
    }
    for (const [i, expected] of events.entries()) {
      const difference = eventDiffers(expected, observed[i], entities);
      if (difference) throw new Error(`event ${i}: ${difference}`);
    }
  }

  #of(type: string): Observed[] {
    const kinds = KINDS[type as EventType];
    return this.#observed.filter(({ kind }) => kinds.includes(kind.replace(/Event$/, '')));
  }
}

function eventDiffers(expected: Json, found: Observed | undefined, entities: Entities): string | undefined {
  const [[kind, contents] = []] = Object.entries(expected);
  if (!found || found.kind !== kind) return `${found?.kind} instead of ${kind}`;
  return Object.entries((contents as Json | undefined) ?? {})
    .map(([name, value]) => fieldDiffers(name, value, found.event, entities))
    .find((one) => one !== undefined);
}

function fieldDiffers(name: string, value: unknown, event: Json, entities: Entities): string | undefined {
  // The format's words for whether an id is there.
  if (name === 'hasServiceId' || name === 'hasServerConnectionId') {
    const id = event[name === 'hasServiceId' ? 'serviceId' : 'serverConnectionId'];
    return (id !== undefined && id !== null) === value ? undefined : `${name} is not ${String(value)}`;
  }
  return mismatch(value, event[name], entities, true, name === 'command' || name === 'reply' ? '' : name);
}
