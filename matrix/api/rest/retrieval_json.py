"""Hits, citations and answers as JSON: what REST, server-sent events and the OpenAI route share."""

from __future__ import annotations

from matrix.domain.chat import Answer, Citation, ToolRun, Usage
from matrix.domain.retrieval import Explanation, Hit, SearchResult

Json = dict[str, object]


def result_json(result: SearchResult) -> Json:
    body: Json = {"hits": [hit_json(hit) for hit in result.hits]}
    if result.explanation is not None:
        body["explanation"] = explanation_json(result.explanation)
    return body


def hit_json(hit: Hit) -> Json:
    source = hit.source
    return {
        "chunkId": hit.chunk_id,
        "documentId": hit.document_id,
        "documentName": hit.document_name,
        "knowledgeId": hit.knowledge_id,
        "text": hit.text,
        "context": hit.context,
        "position": hit.position,
        "chunkCount": hit.chunk_count,
        "score": hit.score,
        "scores": {
            "dense": hit.scores.dense,
            "denseRank": hit.scores.dense_rank,
            "keywordRank": hit.scores.keyword_rank,
            "fused": hit.scores.fused,
        },
        "sourceRef": {
            "url": source.url,
            "page": source.page,
            "sectionPath": list(source.section_path),
            "start": source.start,
            "end": source.end,
        },
    }


def explanation_json(explanation: Explanation) -> Json:
    dense, keyword = explanation.weights
    return {
        "denseCandidates": explanation.dense_candidates,
        "keywordCandidates": explanation.keyword_candidates,
        "belowMinScore": explanation.below_min_score,
        "beyondTopK": explanation.beyond_top_k,
        "secondTry": explanation.second_try,
        "weights": {"dense": dense, "keyword": keyword},
    }


def citation_json(citation: Citation) -> Json:
    return {
        "marker": citation.marker,
        "chunkId": citation.chunk_id,
        "documentId": citation.document_id,
        "versionId": citation.version_id,
        "documentName": citation.document_name,
        "page": citation.page,
        "quote": citation.quote,
        "url": citation.url,
        "sectionPath": list(citation.section_path),
        "start": citation.start,
        "end": citation.end,
        "state": citation.state,
    }


def answer_json(answer: Answer) -> Json:
    return {
        "sessionId": answer.session_id,
        "messageId": answer.message_id,
        "answer": answer.text,
        "answerable": answer.answerable,
        "complete": answer.complete,
        "documentsBeingRead": answer.being_read,
        "citations": [citation_json(citation) for citation in answer.citations],
        "toolCalls": [tool_json(run) for run in answer.tool_runs],
        "usage": usage_json(answer.usage),
    }


def tool_json(run: ToolRun) -> Json:
    return {"name": run.name, "arguments": dict(run.arguments), "summary": run.summary, "isError": run.is_error}


def usage_json(usage: Usage) -> Json:
    return {"inputTokens": usage.input_tokens, "outputTokens": usage.output_tokens}
