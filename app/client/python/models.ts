import { answerOf, type Contract } from './contract.js';
import { literal, pascal } from './names.js';
import type { PythonTypes } from './types.js';

/** Writes models.py: every class that the types have collected, the deliveries of webhooks and the codes of errors. */
export function modelsFile({ webhooks, components }: Contract, types: PythonTypes, mark: string): string {
  const kinds = Object.entries(webhooks).map(([kind, { post }]) => {
    const schema = post.requestBody?.content['application/json']?.schema ?? answerOf(post) ?? {};
    return types.of(schema, `${pascal(kind)}Delivery`);
  });
  const codes = components.schemas['Error']?.properties?.['code']?.enum ?? [];
  return [
    mark,
    '"""The records of the service\'s contract, as typed dictionaries."""',
    '',
    'from __future__ import annotations',
    '',
    'from typing import Any, Literal, TypeAlias, TypedDict, Union',
    '',
    `ErrorCode = Literal[${codes.map((code) => literal(String(code))).join(', ')}]`,
    '',
    ...types.classes.flatMap((lines) => ['', ...lines, '']),
    '',
    '# The body of a delivery, by its `type`.',
    `WebhookDelivery = Union[${kinds.map(literal).join(', ')}]`,
    '',
  ].join('\n');
}
