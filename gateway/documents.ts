import { type DocumentNode, type GraphQLSchema, parse, validate } from 'graphql';
import { Lru } from '../shared/cache/lru.js';
import { problem } from '../shared/errors/problem.js';

/** Fetch documents come from planners, but an analyst's query varies them: bounded. */
const MAX_DOCUMENTS = 2_000;
const MAX_FAULTS = 1;

/** Parsed documents of one schema, by their text. */
export class Documents {
  readonly #schema: GraphQLSchema;
  readonly #validated: boolean;
  readonly #known = new Lru<string, DocumentNode>(MAX_DOCUMENTS);

  /** @param validated whether a new document is held to the schema: what comes from our own planner was, already. */
  constructor(schema: GraphQLSchema, { validated }: { readonly validated: boolean }) {
    this.#schema = schema;
    this.#validated = validated;
  }

  /** @throws Problem INTERNAL for a text that is not a document of this schema; only processes of the service send documents. */
  get(text: string): DocumentNode {
    const known = this.#known.get(text);
    if (known) return known;
    const document = this.#parsed(text);
    if (this.#validated && validate(this.#schema, document, undefined, { maxErrors: MAX_FAULTS }).length > 0) {
      throw problem('INTERNAL', { internal: 'a document does not fit the schema of this subgraph' });
    }
    this.#known.set(text, document);
    return document;
  }

  #parsed(text: string): DocumentNode {
    try {
      return parse(text, { noLocation: true });
    } catch (cause) {
      throw problem('INTERNAL', { internal: 'a document cannot be parsed', cause });
    }
  }
}
