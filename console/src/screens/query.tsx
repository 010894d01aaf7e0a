import { useState } from 'react';
import { api, unwrap } from '../api/client';
import { useText } from '../text';
import { Deed, Field, Panel } from '../ui/parts';

const EXAMPLE = `{
  events(limit: 5) {
    items {
      event_id
      event_type
      outcome
    }
  }
}`;

/** One question to the graph, and its answer; GraphiQL has the schema and completion. */
export default function Query() {
  const { t } = useText();
  const [query, setQuery] = useState(EXAMPLE);
  const [answer, setAnswer] = useState<string | null>(null);
  const ask = async (): Promise<void> => {
    setAnswer(JSON.stringify(await unwrap(api.POST('/graphql', { body: { query } })), null, 2));
  };
  return (
    <>
      <h1>{t('Query', 'Consulta')}</h1>
      <Panel title={t('Ask the graph', 'Preguntar al grafo')}>
        <Field label={t('Question in GraphQL', 'Pregunta en GraphQL')} value={query} onChange={setQuery} rows={12} />
        <Deed strong label={t('Ask', 'Preguntar')} run={ask} />
        {answer !== null && <pre data-answer>{answer}</pre>}
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
