import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { ApiError } from './api/client';
import { App } from './app';
import './styles/console.css';
import { TextProvider } from './text';

const client = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      // A refusal stays a refusal; a lost connection or a busy service is worth two more tries.
      retry: (count, error) => count < 2 && (!(error instanceof ApiError) || error.status === 503),
    },
  },
});

// An ended session shows the sign-in in place of the screen; its address stays.
client.getQueryCache().subscribe((event) => {
  if (event.type !== 'updated' || event.action.type !== 'error') return;
  const { query } = event;
  const { error } = query.state;
  if (error instanceof ApiError && error.status === 401 && query.queryKey[0] !== 'caller') {
    client.setQueryData(['caller'], null);
  }
});

const root = document.getElementById('root');
if (root === null) throw new Error('the page has no root');
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={client}>
      <TextProvider>
        <App />
      </TextProvider>
    </QueryClientProvider>
  </StrictMode>,
);
