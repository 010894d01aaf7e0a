import { useState } from 'react';
import { refine, usePlace } from '../../router';
import { useText } from '../../text';
import { Field, Form } from '../../ui/parts';
import { SavedViews } from '../../ui/saved-views';
import { Empty } from '../../ui/states';
import { ExploredGraph } from './explored';

const LIMITS = ['500', '2000', '5000'] as const;

/** The view is its address: share it, keep it, go back to it. */
export default function Graph() {
  const { t } = useText();
  const { query } = usePlace();
  const node = query.get('node') ?? '';
  const depth = query.get('depth') ?? '2';
  const limit = LIMITS.find((one) => one === query.get('limit')) ?? '500';
  const kinds = query.get('kinds') ?? '';
  const until = query.get('until') ?? '';
  return (
    <>
      <h1>{t('Graph', 'Grafo')}</h1>
      <Start key={node} node={node} />
      <div className="row">
        <Field
          label={t('Steps', 'Pasos')}
          value={depth}
          onChange={(value) => refine({ depth: value })}
          options={['1', '2', '3'].map((one) => [one, one] as const)}
        />
        <Field
          label={t('At most this many nodes', 'Como máximo tantos nodos')}
          value={limit}
          onChange={(value) => refine({ limit: value })}
          options={LIMITS.map((one) => [one, one] as const)}
        />
        <Field
          label={t('Kinds of edges', 'Tipos de arista')}
          value={kinds}
          onChange={(value) => refine({ kinds: value })}
          hint={t('Separated by commas; all by default.', 'Separados por comas; todos por defecto.')}
        />
        <Field label={t('Until', 'Hasta')} type="date" value={until} onChange={(value) => refine({ until: value })} />
      </div>
      {node === '' ? (
        <Empty>
          {t(
            'Type a node, or open a member and choose "Open in the graph".',
            'Escriba un nodo, o abra un afiliado y elija «Abrir en el grafo».',
          )}
        </Empty>
      ) : (
        <ExploredGraph
          key={node}
          start={node}
          question={{
            depth: Number(depth),
            limit: Number(limit),
            ...(kinds === '' ? {} : { kinds }),
            ...(until === '' ? {} : { until: `${until}T00:00:00Z` }),
          }}
        />
      )}
      <SavedViews screen="GRAPH" />
    </>
  );
}

function Start({ node }: { readonly node: string }) {
  const { t } = useText();
  const [text, setText] = useState(node);
  const show = async (): Promise<void> => refine({ node: text.trim(), open: '', closed: '', to: '' });
  return (
    <Form submit={t('Show', 'Mostrar')} onSubmit={show}>
      <Field
        label={t('Start at', 'Empezar en')}
        value={text}
        onChange={setText}
        required
        hint={t(
          'member:M-1, event:evt_…, claim:SOURCE/ID, code:SYSTEM/CODE, provider:NPI',
          'member:M-1, event:evt_…, claim:ORIGEN/ID, code:SISTEMA/CÓDIGO, provider:NPI',
        )}
      />
    </Form>
  );
}
