// The parts of the OpenAPI document that the Python client is made of.

export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly description?: string;
  readonly enum?: readonly (string | number | boolean | null)[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
}

type Content = Readonly<Record<string, { readonly schema: Schema }>>;

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly description?: string;
  readonly schema: Schema;
}

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly required: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
}

/** An operation with its method and path. */
export interface Route extends Operation {
  readonly method: string;
  readonly path: string;
}

export interface Contract {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly webhooks: Readonly<Record<string, { readonly post: Operation }>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

const JSON_TYPE = 'application/json';
const FORM_TYPE = 'multipart/form-data';

export const routesOf = ({ paths }: Contract): readonly Route[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ ...operation, method: method.toUpperCase(), path })),
  );

/** The schema of the JSON answer of success; undefined where an operation answers with bytes. */
export function answerOf({ responses }: Operation): Schema | undefined {
  const [, success] = Object.entries(responses).find(([status]) => status.startsWith('2')) ?? [];
  return success?.content?.[JSON_TYPE]?.schema;
}

/** How an operation takes its body. */
type Body =
  | { readonly kind: 'none' }
  | { readonly kind: 'json'; readonly schema: Schema; readonly isRequired: boolean }
  | { readonly kind: 'form'; readonly schema: Schema }
  | { readonly kind: 'bytes'; readonly mediaTypes: readonly string[] };

export function bodyOf({ requestBody }: Operation): Body {
  if (requestBody === undefined) return { kind: 'none' };
  const { content, required } = requestBody;
  // An operation that takes bare bytes needs no form: the fields of the form repeat its parameters.
  const mediaTypes = Object.keys(content).filter((type) => type !== JSON_TYPE && type !== FORM_TYPE);
  if (mediaTypes.length > 0) return { kind: 'bytes', mediaTypes };
  const form = content[FORM_TYPE];
  if (form) return { kind: 'form', schema: form.schema };
  const json = content[JSON_TYPE];
  return json ? { kind: 'json', schema: json.schema, isRequired: required } : { kind: 'none' };
}
