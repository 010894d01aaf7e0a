import type { MongoClientOptions } from 'mongodb';
import type { ExpectedLogs, Json } from './format.js';
import { type Entities, mismatch } from './match.js';

const MAX_LOGGED_DOCUMENT_CHARS = 10_000;

/** The log messages of one client, as the driver writes them: `s` is the level, `c` the component, `t` the time. */
export class MessageLog {
  readonly #messages: Json[] = [];

  /** Options that send the messages of the named components here. */
  options(components: Json | undefined): MongoClientOptions {
    if (components === undefined) return {};
    const severities = components as NonNullable<MongoClientOptions['mongodbLogComponentSeverities']>;
    return {
      mongodbLogComponentSeverities: severities,
      mongodbLogMaxDocumentLength: MAX_LOGGED_DOCUMENT_CHARS,
      mongodbLogPath: { write: (message) => void this.#messages.push(message as unknown as Json) },
    };
  }

  /** Forgets the server selection of the driver's own connect, which the format does not know. */
  forgetSelection(): void {
    const others = this.#messages.filter((message) => message['c'] !== 'serverSelection');
    this.#messages.splice(0, this.#messages.length, ...others);
  }

  check({ messages, ignoreMessages = [], ignoreExtraMessages }: ExpectedLogs, entities: Entities): void {
    const found = this.#messages.filter(
      (message) => !ignoreMessages.some((ignored) => messageDiffers(ignored, message, entities) === undefined),
    );
    if (ignoreExtraMessages ? found.length < messages.length : found.length !== messages.length) {
      const texts = found.map((message) => message['message']);
      throw new Error(`expected ${messages.length} log messages, found ${texts.join(', ') || 'none'}`);
    }
    for (const [i, expected] of messages.entries()) {
      const difference = messageDiffers(expected, found[i] ?? {}, entities);
      if (difference) throw new Error(`log message ${i}: ${difference}`);
    }
  }
}

function messageDiffers(expected: Json, { s, c, t: _time, ...data }: Json, entities: Entities): string | undefined {
  if (expected['level'] !== s) return `level ${String(s)} instead of ${String(expected['level'])}`;
  if (expected['component'] !== c) return `component ${String(c)} instead of ${String(expected['component'])}`;
  if (expected['failureIsRedacted'] !== undefined && data['failure'] === undefined) return 'no failure';
  return mismatch(expected['data'], data, entities);
}
