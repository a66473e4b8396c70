//! What is sent and what is answered, as JSON-RPC 2.0 has it.

use regate::policy::{Answer, AttemptId};
use serde_json::{Value, json};

/// A request under the id of an attempt.
pub fn frame(attempt: AttemptId, method: &str, params: &Value) -> String {
    let mut request = json!({ "jsonrpc": "2.0", "id": attempt.as_u64(), "method": method });
    if let (false, Some(request)) = (params.is_null(), request.as_object_mut()) {
        request.insert("params".into(), params.clone());
    }
    request.to_string()
}

/// The messages of a frame, which may be a batch; none where it is no JSON.
pub fn decode(frame: &[u8]) -> Vec<Value> {
    match serde_json::from_slice(frame) {
        Ok(Value::Array(batch)) => batch,
        Ok(message) => vec![message],
        Err(_) => Vec::new(),
    }
}

/// The attempt that a message answers, if it is an answer. Some gateways send ids back as texts.
pub fn attempt_of(message: &Value) -> Option<AttemptId> {
    if message.get("method").is_some() {
        return None; // it asks or tells, and a gateway may not ask anything of a client
    }
    let number = match message.get("id")? {
        Value::String(text) if text.bytes().all(|byte| byte.is_ascii_digit()) => text.parse().ok(),
        id => id.as_u64(),
    };
    number.map(AttemptId::from_u64)
}

/// What an answer says, in the words of the engine.
pub fn kind_of(message: &Value) -> Answer {
    let Some(error) = message.get("error").filter(|error| !error.is_null()) else {
        return if message.get("result").is_some() { Answer::Result } else { Answer::Neither };
    };
    if error.pointer("/data/retryable") == Some(&Value::Bool(true)) {
        let after = error.pointer("/data/retryAfterMilliseconds").and_then(Value::as_u64);
        return Answer::Retryable { after_milliseconds: after.unwrap_or(0) };
    }
    let code = error.get("code").and_then(Value::as_i64).unwrap_or(0);
    Answer::Error { code: i32::try_from(code).unwrap_or(i32::MAX) }
}
