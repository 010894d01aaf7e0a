import type { SpanOptions } from '../shared/telemetry/spans.js';

const OPERATION = /^\s*(query|mutation)\s+(\w+)/;
/** The planner names a fetch after the whole query: `NAME__SUBGRAPH__NUMBER`. */
const PLANNED = /__((?:(?!__)\w)+)__\d+$/;
const UNNAMED = 'unnamed';

/**
 * The span of an operation of a subgraph. Names of the service's own documents are shown. A planned fetch may be part of an
 * analyst's query: its name can hold anything, so its span is named after the subgraph alone.
 */
export function operationSpan(query: string, kind: SpanOptions['kind'] = 'internal'): SpanOptions {
  const [, type = 'query', written = UNNAMED] = OPERATION.exec(query) ?? [];
  const [, subgraph] = PLANNED.exec(written) ?? [];
  const name = subgraph === undefined ? written : `planned ${subgraph}`;
  return {
    name: `${type} ${name}`,
    kind,
    attributes: { 'graphql.operation.type': type, 'graphql.operation.name': name },
  };
}
