// The keyword leg of search. The index stands on passages alone: messages and memories have a text too, and would be
// searched with them (and change the word statistics of everybody's corpora) if it stood on :Entity.

CREATE FULLTEXT INDEX entity_text IF NOT EXISTS
FOR (n:KnowledgeChunk) ON EACH [n.text, n.context, n.heading, n.title, n.scopeTokens]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'standard-no-stop-words', `fulltext.eventually_consistent`: false}};
