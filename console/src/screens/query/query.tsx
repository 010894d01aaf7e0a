import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { paths } from '../../../../client/schema';
import { ApiError, api, send, unwrap } from '../../api/client';
import { refine, usePlace } from '../../router';
import { useText } from '../../text';
import { Deed, Field, Panel } from '../../ui/parts';
import { Loaded } from '../../ui/states';
import { Answer, type Answered, type Asked } from './answer';

const EXAMPLE = `{
  events(limit: 5) {
    items {
      event_id
      event_type
      outcome
    }
  }
}`;

type Questions = paths['/v1/questions']['get']['responses'][200]['content']['application/json'];
type Question = Questions['items'][number];

/** Asks the graph: one of the saved questions, or a query of the user. */
export default function Query() {
  const { t } = useText();
  const { query: place } = usePlace();
  const name = place.get('question') ?? '';
  const questions = useQuery({ queryKey: ['questions'], queryFn: () => unwrap(api.GET('/v1/questions')) });
  return (
    <>
      <h1>{t('Query', 'Consulta')}</h1>
      <Panel title={t('Ask the graph', 'Preguntar al grafo')}>
        <Loaded query={questions} lines={2}>
          {({ items }) => (
            <>
              <Field
                label={t('Saved question', 'Pregunta guardada')}
                value={name}
                onChange={(chosen) => refine({ question: chosen })}
                options={[
                  ['', t('none: a query of your own', 'ninguna: una consulta propia')],
                  ...items.map((one) => [one.name, one.title] as const),
                ]}
              />
              <Ask key={name} question={items.find((one) => one.name === name) ?? null} />
            </>
          )}
        </Loaded>
        <p>
          <a href="/graphiql">
            {t(
              'GraphiQL has the schema and completion (it asks for the key again).',
              'GraphiQL tiene el esquema y autocompletado (pide la clave de nuevo).',
            )}
          </a>
        </p>
      </Panel>
    </>
  );
}

function Ask({ question }: { readonly question: Question | null }) {
  const { t } = useText();
  const { query: place } = usePlace();
  const [text, setText] = useState(question?.query ?? EXAMPLE);
  const [answered, setAnswered] = useState<Answered | null>(null);
  const variables = Object.fromEntries(
    (question?.variables ?? []).flatMap(({ name }) => {
      const value = place.get(name)?.trim() ?? '';
      return value === '' ? [] : [[name, value]];
    }),
  );
  const missing = (question?.variables ?? []).filter(({ name, required }) => required && !(name in variables));
  return (
    <>
      {question !== null && <p>{question.explanation}</p>}
      <div className="row">
        {question?.variables.map(({ name, description, example }) => (
          <Field
            key={name}
            label={name}
            value={place.get(name) ?? ''}
            onChange={(value) => refine({ [name]: value })}
            hint={`${description} ${t('Example', 'Ejemplo')}: ${example}`}
          />
        ))}
      </div>
      <Field label={t('Question in GraphQL', 'Pregunta en GraphQL')} value={text} onChange={setText} rows={12} />
      <Deed
        strong
        label={t('Ask', 'Preguntar')}
        disabled={missing.length > 0}
        run={async () => setAnswered(await ask({ query: text, variables }))}
      />
      {answered !== null && <Answer answered={answered} />}
    </>
  );
}

/** @throws ApiError for a request that was not answered by the graph */
async function ask(asked: Asked): Promise<Answered> {
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(asked) };
  try {
    const response = await send('/graphql', init);
    // The contract states this form: data, and the faults of fields.
    const body = (await response.json()) as GraphBody;
    const faults = (body.errors ?? []).map(({ message }) => message);
    return { asked, data: body.data, faults, cost: response.headers.get('x-query-cost') };
  } catch (error) {
    // The graph names the faults of a query that it did not run.
    if (!(error instanceof ApiError) || error.status !== 400 || error.faults.length === 0) throw error;
    return { asked, data: null, faults: error.faults.map(({ message }) => message), cost: null };
  }
}

interface GraphBody {
  readonly data?: unknown;
  readonly errors?: readonly { readonly message: string }[];
}
