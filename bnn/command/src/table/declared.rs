//! The lengths that the compressed buffers of an Arrow file declare, checked before the reader takes memory for them.
//!
//! A compressed buffer begins with the length of what it becomes, in 8 bytes. The reader of Arrow takes that much memory before it
//! decompresses anything, and a program that gets none ends. So a length is to be one that the compression can reach,
//!
//! ```text
//! length ≤ ratio · compressed bytes        ratio: 255 for LZ4, 2¹⁵ for Zstandard
//! ```
//!
//! and there is to be memory for it. A byte of LZ4 says at most 255 times what was there before; a block of Zstandard has at least 4
//! bytes and becomes at most 2¹⁷.

use arrow_ipc::{Block, CompressionType, Message, RecordBatch, root_as_footer, root_as_message};

/// The bytes before the length of a message, which older files lack.
const CONTINUATION: [u8; 4] = [0xff; 4];
/// The length of the footer and the name of the format.
const END: usize = 10;

/// Checks all buffers of a file.
pub(super) fn file(bytes: &[u8]) -> Result<(), String> {
    let footer = bytes.len().checked_sub(END).and_then(|end| {
        let length = i32::from_le_bytes(*bytes[end..].first_chunk()?);
        bytes.get(end.checked_sub(usize::try_from(length).ok()?)?..end)
    });
    let footer = footer.and_then(|footer| root_as_footer(footer).ok()).ok_or_else(wrong)?;
    let of = |block: &Block| -> Option<(Message<'_>, &[u8])> {
        let at = usize::try_from(block.offset()).ok()?;
        let length = usize::try_from(block.metaDataLength()).ok()?;
        let metadata = bytes.get(at..at.checked_add(length)?)?;
        let body = bytes.get(at + length..)?.get(..usize::try_from(block.bodyLength()).ok()?)?;
        let skipped = if metadata.starts_with(&CONTINUATION) { 8 } else { 4 };
        Some((root_as_message(metadata.get(skipped..)?).ok()?, body))
    };
    let dictionaries = footer.dictionaries().into_iter().flatten();
    for (i, block) in dictionaries.chain(footer.recordBatches().into_iter().flatten()).enumerate() {
        let (message, body) = of(block).ok_or_else(wrong)?;
        check(&message, body, i)?;
    }
    Ok(())
}

/// Checks all buffers of a stream.
pub(super) fn stream(mut bytes: &[u8]) -> Result<(), String> {
    let mut i = 0;
    while let Some((mut length, mut rest)) = bytes.split_first_chunk::<4>() {
        if *length == CONTINUATION {
            (length, rest) = rest.split_first_chunk::<4>().ok_or_else(wrong)?;
        }
        let length = usize::try_from(i32::from_le_bytes(*length)).map_err(|_| wrong())?;
        if length == 0 {
            break;
        }
        let (metadata, rest) = rest.split_at_checked(length).ok_or_else(wrong)?;
        let message = root_as_message(metadata).map_err(|_| wrong())?;
        let length = usize::try_from(message.bodyLength()).map_err(|_| wrong())?;
        let (body, rest) = rest.split_at_checked(length).ok_or_else(wrong)?;
        check(&message, body, i)?;
        (bytes, i) = (rest, i + 1);
    }
    Ok(())
}

/// The problem of a file whose parts do not lie in it.
fn wrong() -> String {
    "a length or an offset in it is wrong".to_owned()
}

/// Checks the buffers of the message with this number.
fn check(message: &Message<'_>, body: &[u8], number: usize) -> Result<(), String> {
    let dictionary = message.header_as_dictionary_batch();
    let batch = message.header_as_record_batch();
    let Some(batch) = batch.or_else(|| dictionary.and_then(|dictionary| dictionary.data())) else {
        return Ok(());
    };
    let Some(ratio) = ratio(&batch) else { return Ok(()) };
    let buffers = batch.buffers().into_iter().flatten().enumerate();
    // Buffers without bytes lie anywhere.
    for (i, buffer) in buffers.filter(|(_, buffer)| buffer.length() != 0) {
        let at = usize::try_from(buffer.offset()).ok().zip(usize::try_from(buffer.length()).ok());
        let bytes = at.and_then(|(at, length)| body.get(at..)?.get(..length)).ok_or_else(wrong)?;
        // The reader refuses a buffer that ends within its length.
        let Some((length, rest)) = bytes.split_first_chunk::<8>() else { continue };
        // −1 stands for bytes that are not compressed.
        let Ok(length) = u64::try_from(i64::from_le_bytes(*length)) else { continue };
        let reachable = length <= ratio.saturating_mul(rest.len() as u64);
        // The memory is given back at once; where there is none, the reader would end the program.
        let fits = |length| Vec::<u8>::new().try_reserve_exact(length).is_ok();
        if !reachable || !usize::try_from(length).is_ok_and(fits) {
            return Err(format!(
                "buffer {} of message {} says that its {} compressed bytes become {length}",
                i + 1,
                number + 1,
                rest.len()
            ));
        }
    }
    Ok(())
}

/// How many times longer than its compressed bytes a buffer of the batch can be; none if it is not compressed, or in a way that the
/// reader refuses.
fn ratio(batch: &RecordBatch<'_>) -> Option<u64> {
    match batch.compression()?.codec() {
        CompressionType::LZ4_FRAME => Some(255),
        CompressionType::ZSTD => Some(1 << 15),
        _ => None,
    }
}
