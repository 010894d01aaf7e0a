import type { CommandFailedEvent, CommandStartedEvent, CommandSucceededEvent } from 'mongodb';
import { spanMaker } from '../telemetry/spans.js';

/** The events of the driver that spans are made of. */
interface Monitored {
  on(event: 'commandStarted', listener: (event: CommandStartedEvent) => void): unknown;
  on(event: 'commandSucceeded', listener: (event: CommandSucceededEvent) => void): unknown;
  on(event: 'commandFailed', listener: (event: CommandFailedEvent) => void): unknown;
}

/** Commands of one connection have different request ids. */
const keyOf = ({ connectionId, requestId }: { connectionId?: unknown; requestId: number }): string =>
  `${String(connectionId)}/${requestId}`;

/** Makes a span of each database command: its name and collection, never its content. */
export function traceCommands(client: Monitored, nowMs: () => number): void {
  /** Of each command under way: records its span under the span that was open when it began. */
  const open = new Map<string, (endMs: number, failed: boolean) => void>();
  client.on('commandStarted', (event) => {
    const spans = spanMaker();
    if (spans === null) return;
    const target: unknown = event.command[event.commandName];
    const collection = typeof target === 'string' ? target : null;
    const name = event.commandName;
    const startMs = nowMs();
    const bound = spans.bind();
    const attributes = {
      'db.system.name': 'mongodb',
      'db.operation.name': name,
      ...(collection === null ? {} : { 'db.collection.name': collection }),
    };
    const shown = collection === null ? name : `${name} ${collection}`;
    open.set(keyOf(event), (endMs, failed) =>
      bound.record({ name: shown, kind: 'client', attributes, startMs, endMs, failed }),
    );
  });
  const end = (event: CommandSucceededEvent | CommandFailedEvent, failed: boolean): void => {
    const key = keyOf(event);
    const record = open.get(key);
    open.delete(key);
    record?.(nowMs(), failed);
  };
  client.on('commandSucceeded', (event) => end(event, false));
  client.on('commandFailed', (event) => end(event, true));
}
