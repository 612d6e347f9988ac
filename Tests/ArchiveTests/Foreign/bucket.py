"""An S3 server that others wrote, moto, with signatures and permissions looked at.

Prints one JSON document with where it listens and with credentials: of a user who may read and
write the bucket, of one who may only read, and of a session with a token. Ends when its
standard input does."""

import json
import os
import sys

# What comes before is not looked at: making the users and the bucket.
os.environ["INITIAL_NO_AUTH_ACTION_COUNT"] = "11"
os.environ["AWS_DEFAULT_REGION"] = "eu-central-1"

import boto3
from moto.server import ThreadedMotoServer

server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
server.start()
host, port = server.get_host_and_port()
endpoint = f"http://{host}:{port}"


def client(service):
    return boto3.client(
        service, endpoint_url=endpoint, aws_access_key_id="none", aws_secret_access_key="none"
    )


def policy(actions):
    statement = {"Effect": "Allow", "Action": actions, "Resource": "*"}
    return json.dumps({"Version": "2012-10-17", "Statement": [statement]})


iam = client("iam")
keys = {}
for user, actions in [
    ("writer", ["s3:GetObject", "s3:PutObject", "s3:ListBucket"]),
    ("reader", ["s3:GetObject", "s3:ListBucket"]),
]:
    iam.create_user(UserName=user)
    key = iam.create_access_key(UserName=user)["AccessKey"]
    iam.put_user_policy(UserName=user, PolicyName="bucket", PolicyDocument=policy(actions))
    keys[user] = {"id": key["AccessKeyId"], "secret": key["SecretAccessKey"]}

trust = {"Effect": "Allow", "Principal": {"AWS": "*"}, "Action": "sts:AssumeRole"}
role = iam.create_role(
    RoleName="session",
    AssumeRolePolicyDocument=json.dumps({"Version": "2012-10-17", "Statement": [trust]}),
)["Role"]
iam.put_role_policy(RoleName="session", PolicyName="bucket", PolicyDocument=policy("s3:*"))
session = client("sts").assume_role(RoleArn=role["Arn"], RoleSessionName="archive")["Credentials"]
keys["session"] = {
    "id": session["AccessKeyId"],
    "secret": session["SecretAccessKey"],
    "token": session["SessionToken"],
}

client("s3").create_bucket(
    Bucket="archive", CreateBucketConfiguration={"LocationConstraint": "eu-central-1"}
)
# The eleventh and last that is not looked at.
iam.list_users()
print(json.dumps({"endpoint": endpoint, "keys": keys}), flush=True)
sys.stdin.read()
server.stop()
