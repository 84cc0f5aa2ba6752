# deploy.sh WHERE: pretends to deploy, and notes where to.
echo "$1" >>deployed-to.txt
echo "deployed to $1"
